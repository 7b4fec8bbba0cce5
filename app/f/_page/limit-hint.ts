import { type Translation, translate } from '@/app/_page/translation';
import type { Question } from '@/lib/catalog/form-questions';

/** The limits of an answer, shown before they are broken. */

/** People rarely write more. A limit that they will not reach only distracts them. */
const lengthUsual = { text: 250, long_text: 1_000 } as const;

/** The limits of a question; undefined if there are none that people may reach. */
export function limitHint(question: Question, translation: Translation): string | undefined {
  switch (question.type) {
    case 'text':
    case 'long_text':
      return lengthHint(question, question.type, translation);
    case 'email':
      return emailHint(question, translation);
    case 'number':
      return numberHint(question, translation);
    case 'multi_choice':
      // A single box to check leaves nothing to choose from.
      return question.options?.length === 1 && !question.allowOther
        ? undefined
        : selectionHint(question, translation);
    case 'choice':
      return undefined;
  }
}

function lengthHint(
  { minLength = 0, maxLength }: Question,
  type: keyof typeof lengthUsual,
  translation: Translation,
): string | undefined {
  const isMaxTold = maxLength !== undefined && maxLength <= lengthUsual[type];
  // Every answer has at least one character.
  const min = minLength > 1 ? minLength : undefined;
  if (!isMaxTold) return min ? translate(translation, 'lengthMin', { n: min }) : undefined;
  if (!min) return translate(translation, 'lengthMax', { n: maxLength });
  if (min === maxLength) return translate(translation, 'lengthExact', { n: min });
  return translate(translation, 'lengthRange', { min, max: maxLength });
}

function emailHint({ help, placeholder }: Question, translation: Translation): string | undefined {
  const hasExample = [help, placeholder].some((text) => text?.includes('@'));
  return hasExample ? undefined : translate(translation, 'emailExample');
}

function numberHint({ min, max, integer }: Question, translation: Translation): string | undefined {
  if (min !== undefined && max !== undefined)
    return translate(translation, integer ? 'wholeRange' : 'numberRange', { min, max });
  if (min !== undefined) return translate(translation, integer ? 'wholeMin' : 'numberMin', { n: min });
  if (max !== undefined) return translate(translation, integer ? 'wholeMax' : 'numberMax', { n: max });
  return integer ? translate(translation, 'whole') : undefined;
}

function selectionHint({ minSelections = 0, maxSelections }: Question, translation: Translation): string {
  const hints = [
    minSelections > 1 ? translate(translation, 'selectAtLeast', { n: minSelections }) : '',
    maxSelections ? translate(translation, 'selectAtMost', { n: maxSelections }) : '',
  ].filter(Boolean);
  return hints.length > 0 ? hints.join(' ') : translate(translation, 'selectAll');
}
