import type { Question } from '@/lib/catalog/form-questions';

/**
 * The encoding of answers in a form post. Runs on the server and in the browser. Options are sent by index, because
 * their text is the author's.
 */

/** The fields of a post, or of the form on the page. */
export type RawAnswers = Readonly<Record<string, string | readonly string[]>>;

/** The value of the option "other". */
export const otherValue = 'other';

/** The field of a question's answer. */
export function fieldOf({ id }: { readonly id: string }): string {
  return `q_${id}`;
}

/** The field of the text for "other". */
export function otherFieldOf({ id }: { readonly id: string }): string {
  return `o_${id}`;
}

/** The fields of a post that belong to these questions. */
export function rawAnswersOf(questions: readonly Question[], post: Iterable<[string, unknown]>): RawAnswers {
  const texts = new Map<string, string[]>();
  for (const [name, value] of post) {
    // Form posts have their own line breaks (HTML, form submission). Pages and scripts use one.
    const text = typeof value === 'string' ? value.replaceAll(/\r\n?/g, '\n') : null;
    if (text === null) continue;
    const before = texts.get(name);
    if (before) before.push(text);
    else texts.set(name, [text]);
  }
  const fields = questions.flatMap((question): [string, string | string[]][] => {
    const name = fieldOf(question);
    const sent = texts.get(name) ?? [];
    const own: [string, string | string[]] = [name, readOwn(question, sent)];
    const other = otherFieldOf(question);
    return question.allowOther ? [own, [other, texts.get(other)?.[0] ?? '']] : [own];
  });
  return Object.fromEntries(fields);
}

/**
 * One value for a question with one answer. Our pages never send several. The first text counts, while several options
 * of one choice are kept, so that `checkAnswers` rejects them.
 */
function readOwn({ type }: Question, sent: string[]): string | string[] {
  if (type === 'multi_choice') return sent;
  return type === 'choice' && new Set(sent).size > 1 ? sent : (sent[0] ?? '');
}
