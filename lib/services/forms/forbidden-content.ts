import { type Requester, resultOf, type ThreadJob } from '@/lib/platform/threads';
import type { FormsApp } from '@/lib/services/forms/app';
import { type ForbiddenContent, type FormText, findForbiddenContent } from '@/lib/services/forms/content';

/** Checking this much text takes about a millisecond at most. UTF-16 units. */
const onEventLoopLengthMax = 2_000;

/** The name of the export in check-thread.ts. */
const job: ThreadJob<FormText, readonly ForbiddenContent[]> = { name: 'findForbiddenContent' };

/**
 * Finds forbidden questions of a form. A form with much text is checked in a worker thread.
 * @throws ApiError service_unavailable (503) when the threads' queue is full
 */
export async function findForbidden(
  app: FormsApp,
  form: FormText,
  requester: Requester,
): Promise<readonly ForbiddenContent[]> {
  const length = textLengthOf(form);
  if (length <= onEventLoopLengthMax) return findForbiddenContent(form);
  return resultOf(await app.threads.run(job, textOf(form), requester, 2 * length), 'form_invalid');
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
