import type { ReactNode } from 'react';
import { fillSlots, QuotedLabel } from '@/app/_page/sentence';
import { type Translation, translate } from '@/app/_page/translation';
import type { Question } from '@/lib/catalog/form-questions';
import type { Problem } from '@/lib/services/forms/answers/check-answers';

/** What is wrong with an answer, as a sentence for the summary, or for the field, which shows its label already. */
export function ProblemMessage({
  problem,
  question,
  translation,
  isAtField = false,
}: {
  problem: Problem;
  question: Question;
  translation: Translation;
  isAtField?: boolean;
}): ReactNode {
  const { bound } = problem;
  const word = isAtField && problem.word === 'required' ? 'requiredHere' : problem.word;
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
