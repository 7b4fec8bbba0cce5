import { stringify } from 'csv-stringify/sync';
import type { Answer, ResponsesPage } from '@/lib/catalog/forms';

/**
 * The responses of a page as CSV (RFC 4180), a column per question. Answers come from strangers: what a spreadsheet would
 * run as a formula gets an apostrophe in front.
 */
export function responsesCsv({ form, responses }: ResponsesPage): string {
  const header = ['id', 'submittedAt', ...form.questions.map(({ label }) => label)];
  const rows = responses.map(({ id, submittedAt, answers }) => [
    id,
    submittedAt,
    ...form.questions.map((question) => cellOf(answers[question.id])),
  ]);
  return stringify([header, ...rows], { escape_formulas: true, record_delimiter: 'windows' });
}

function cellOf(answer: Answer | undefined): string | number {
  if (answer === undefined) return '';
  return typeof answer === 'object' ? answer.join('; ') : answer;
}
