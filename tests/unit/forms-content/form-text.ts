import type { FormText } from '@/lib/forms/content';

/**
 * A form in a few lines: its title, its description or nothing, and its questions. A question is `label | help |
 * placeholder`, of which the last two may be missing, or `label :: option / option`.
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
