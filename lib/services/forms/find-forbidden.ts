import type { CodeWithPayment } from '@/lib/catalog/errors/codes';
import { type Requester, resultOf, type ThreadJob, type WithThreads } from '@/lib/platform/threads';
import { type ForbiddenContent, type FormText, findForbiddenContent } from './content';

/** Checking this much text takes about a millisecond at most. UTF-16 units. */
const onEventLoopLengthMax = 2_000;

/** The name of the export in check-thread.ts. */
const job: ThreadJob<readonly FormText[], readonly (readonly ForbiddenContent[])[]> = {
  name: 'findForbiddenContent',
};

/**
 * Finds what each of these forms must not ask for. If they have much text together, they are checked in a worker thread.
 * @throws ApiError service_unavailable (503) when the threads' queue is full, `invalid` when the text takes too long
 */
export async function findForbidden(
  app: WithThreads,
  forms: readonly FormText[],
  requester: Requester,
  invalid: CodeWithPayment<'none'>,
): Promise<readonly (readonly ForbiddenContent[])[]> {
  const length = forms.reduce((sum, form) => sum + textLengthOf(form), 0);
  if (length <= onEventLoopLengthMax) return forms.map(findForbiddenContent);
  return resultOf(await app.threads.run(job, forms.map(textOf), requester, 2 * length), invalid);
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
