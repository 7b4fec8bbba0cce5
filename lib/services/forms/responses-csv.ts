import { stringify } from 'csv-stringify/sync';
import type { Answer, ResponsesPage } from '@/lib/catalog/forms';
import { withoutFormulas } from '@/lib/platform/csv';

/**
 * A page of responses as CSV (RFC 4180), with a column per question. Every text is quoted, because answers may contain
 * line breaks, and parsers disagree on which line breaks end a row.
 */
export function responsesCsv({ form, responses }: ResponsesPage): string {
  const header = ['id', 'submittedAt', ...form.questions.map(({ label }) => withoutFormulas(label))];
  const rows = responses.map(({ id, submittedAt, answers }) => [
    id,
    submittedAt,
    ...form.questions.map((question) => cellOf(answers[question.id])),
  ]);
  return stringify([header, ...rows], {
    quoted_string: true,
    quoted_empty: false,
    record_delimiter: 'windows',
  });
}

function cellOf(answer: Answer | undefined): string | number {
  if (answer === undefined) return '';
  if (typeof answer === 'number') return answer;
  return withoutFormulas(typeof answer === 'object' ? answer.join('; ') : answer);
}
