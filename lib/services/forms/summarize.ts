import type { z } from 'zod';
import type { Question } from '@/lib/catalog/form-questions';
import type { summary as summaryOperation } from '@/lib/catalog/form-responses';
import type { Answer } from '@/lib/catalog/forms';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Platform } from '@/lib/platform/platform';
import { type ReadableForm, readForm } from './form';
import { openAnswers } from './read-responses';

interface SummaryDeps extends Pick<WithDatabase, 'db'>, Pick<Platform, 'clock' | 'keys'> {}

type Summary = z.output<typeof summaryOperation.output>;
type QuestionSummary = Summary['questions'][number];

/** Adds up the responses to a form that have not been deleted. */
export async function summarizeForm(app: SummaryDeps, form: ReadableForm): Promise<Summary> {
  const rows = await app.db.formResponse.findMany({
    where: { formId: form.id, deletedAt: null },
    select: { answers: true },
  });
  const responses = rows.flatMap(({ answers }) => (answers ? [openAnswers(app, answers)] : []));
  return {
    form: readForm(form, app.clock.date()),
    questions: form.content.questions.map((question) =>
      summarizeQuestion(
        question,
        responses.map((answers) => answers[question.id]).filter((answer) => answer !== undefined),
      ),
    ),
  };
}

/** @param answers one for each response that answers the question */
function summarizeQuestion(question: Question, answers: readonly Answer[]): QuestionSummary {
  const { id, type, label } = question;
  const base = { id, type, label, answered: answers.length };
  switch (type) {
    case 'choice':
    case 'multi_choice':
      return { ...base, ...countOptions(question, answers.flat()) };
    case 'number':
      return { ...base, numbers: spanOf(answers.filter((answer) => typeof answer === 'number')) };
    default:
      return base;
  }
}

/** @param chosen every option that was chosen, as often as it was chosen, and own answers */
function countOptions({ options = [], allowOther }: Question, chosen: readonly (string | number)[]) {
  const counts = new Map(options.map((option) => [option, 0]));
  let other = 0;
  for (const option of chosen.map(String)) {
    const count = counts.get(option);
    if (count === undefined) other += 1;
    else counts.set(option, count + 1);
  }
  return {
    options: [...counts].map(([option, count]) => ({ option, count })),
    ...(allowOther ? { other } : {}),
  };
}

/** Smallest, middle and largest of some numbers; null without any. */
function spanOf(numbers: readonly number[]): QuestionSummary['numbers'] {
  const sorted = numbers.toSorted((one, other) => one - other);
  const [min, max] = [sorted[0], sorted.at(-1)];
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.floor(sorted.length / 2)]];
  if (min === undefined || max === undefined || low === undefined || high === undefined) return null;
  // With the 15 digits that answers have, so that halfway from 0.1 to 0.2 is 0.15.
  return { min, median: Number(((low + high) / 2).toPrecision(15)), max };
}
