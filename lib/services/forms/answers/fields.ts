import type { Question } from '@/lib/catalog/forms';

/**
 * How answers travel in a form post. Runs on the server and in the browser. Options travel by their place, because
 * their text is the author's.
 */

/** The fields of a post, or of the form on the page, as they were filled in. */
export type RawAnswers = Readonly<Record<string, string | readonly string[]>>;

/** What the option «other» sends. */
export const otherValue = 'other';

/** The field that carries the answer to a question. */
export function fieldOf({ id }: { readonly id: string }): string {
  return `q_${id}`;
}

/** The field that carries the text of an answer of one's own. */
export function otherFieldOf({ id }: { readonly id: string }): string {
  return `o_${id}`;
}

/** Everything that a post says about these questions, and nothing else that it says. */
export function rawAnswersOf(questions: readonly Question[], post: Iterable<[string, unknown]>): RawAnswers {
  const texts = new Map<string, string[]>();
  for (const [name, value] of post) {
    // Posts break lines in their own way (HTML, form submission); pages and scripts in one.
    const text = typeof value === 'string' ? value.replaceAll(/\r\n?/g, '\n') : null;
    if (text !== null) texts.set(name, [...(texts.get(name) ?? []), text]);
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
 * One text for a question that takes one answer. No page of ours sends several: of texts the first counts, while different
 * options of one choice are kept, so that `checkAnswers` refuses them instead of guessing which was meant.
 */
function readOwn({ type }: Question, sent: string[]): string | string[] {
  if (type === 'multi_choice') return sent;
  return type === 'choice' && new Set(sent).size > 1 ? sent : (sent[0] ?? '');
}
