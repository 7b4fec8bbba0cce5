import type { ReactNode } from 'react';
import { fillSlots, QuotedLabel } from '@/app/_page/sentence';
import { type Translation, translate } from '@/app/_page/translation';
import type { Question } from '@/lib/catalog/form-questions';
import type { Problem } from '@/lib/services/forms/answers/check-answers';

/** What is wrong with an answer: the same sentence in the summary and at the field. */
export function ProblemMessage({
  problem,
  question,
  translation,
}: {
  problem: Problem;
  question: Question;
  translation: Translation;
}): ReactNode {
  const { bound, word } = problem;
  const { label, min, max } = question;
  const limits = { ...(bound === undefined ? {} : { n: bound }), ...numbers({ min, max }) };
  return fillSlots(translate(translation, word, limits), {
    label: <QuotedLabel label={label} lang={translation.authorLanguage} />,
    other: translate(translation, 'other'),
  });
}

function numbers(values: Record<string, number | undefined>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, number] => entry[1] !== undefined),
  );
}
