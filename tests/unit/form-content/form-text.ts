import type { FormText } from '@/lib/services/forms/content';

/**
 * A form from a few strings: title, description (may be empty) and questions. A question is `label | help | placeholder`,
 * where help and placeholder may be missing, or `label :: option / option`.
 */
export function formText(title: string, description: string, ...questions: readonly string[]): FormText {
  return {
    title,
    ...(description && { description }),
    questions: questions.map((question) => {
      const [text = '', options] = question.split(' :: ');
      const [label = '', help, placeholder] = text.split(' | ');
      return { label, help, placeholder, options: options?.split(' / ') };
    }),
  };
}

/** The largest form that is accepted: every text is as long as it may be, filled by repeating the words. */
export function largestForm(words: string, options: number): FormText {
  const fill = (length: number, from: number) =>
    words.repeat(Math.ceil((length + from) / words.length)).slice(from, from + length);
  return {
    title: fill(120, 0),
    description: fill(2_000, 1),
    submitLabel: fill(60, 2),
    thankYou: fill(1_000, 3),
    questions: Array.from({ length: 20 }, (_, question) => ({
      label: fill(300, question),
      help: fill(300, question + 1),
      placeholder: fill(120, question + 2),
      options: Array.from({ length: options }, (_, option) => fill(200, (option * 3 + question) % 40)),
    })),
  };
}
