import type { CodeWithPayment } from '@/lib/catalog/errors/codes';
import { type Requester, resultOf, type ThreadJob, type WithThreads } from '@/lib/platform/threads';
import { type ForbiddenContent, type FormText, findForbiddenContent } from './content';

/** Checking this much text takes about a millisecond at most. UTF-16 units. */
const onEventLoopLengthMax = 2_000;

/** The name of the export in check-thread.ts. */
const job: ThreadJob<FormText, readonly ForbiddenContent[]> = { name: 'findForbiddenContent' };

/**
 * Finds what a form must not ask for. A form with much text is checked in a worker thread.
 * @throws ApiError service_unavailable (503) when the threads' queue is full, `invalid` when the text takes too long
 */
export async function findForbidden(
  app: WithThreads,
  form: FormText,
  requester: Requester,
  invalid: CodeWithPayment<'none'>,
): Promise<readonly ForbiddenContent[]> {
  const length = textLengthOf(form);
  if (length <= onEventLoopLengthMax) return findForbiddenContent(form);
  return resultOf(await app.threads.run(job, textOf(form), requester, 2 * length), invalid);
}

function textLengthOf({
  title,
  description = '',
  submitLabel = '',
  thankYou = '',
  questions,
}: FormText): number {
  const texts = questions.flatMap(({ label, help = '', placeholder = '', options = [] }) => [
    ...[label, help, placeholder],
    ...options,
  ]);
  return [title, description, submitLabel, thankYou, ...texts].reduce((sum, { length }) => sum + length, 0);
}

/** Only the texts are sent to the thread. */
function textOf({ title, description, submitLabel, thankYou, questions }: FormText): FormText {
  return {
    ...{ title, description, submitLabel, thankYou },
    questions: questions.map(({ label, help, placeholder, options }) => ({
      label,
      help,
      placeholder,
      options,
    })),
  };
}
