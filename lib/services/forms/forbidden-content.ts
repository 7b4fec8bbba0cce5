import { type ForbiddenContent, type FormText, findForbiddenContent } from '@/lib/form-content';
import type { FormsApp } from '@/lib/services/forms/app';
import { type Requester, resultOf, type ThreadJob } from '@/lib/threads';

/** Of a form with no more text than this the check takes about a millisecond, whatever the text. Units: UTF-16. */
const onEventLoopLengthMax = 2_000;

/** Exported by check-thread.ts under this name. */
const job: ThreadJob<FormText, readonly ForbiddenContent[]> = { name: 'findForbiddenContent' };

/**
 * Where a form asks for what no form may ask for; a form with much text is judged in another thread.
 * @throws ApiError service_unavailable (503) when too much waits to be judged
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

/** Nothing but the texts, which is all that goes to the thread. */
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
