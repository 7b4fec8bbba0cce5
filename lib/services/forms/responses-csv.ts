import { stringify } from 'csv-stringify/sync';
import type { Answer, ResponsesPage } from '@/lib/catalog/forms';

/**
 * The responses of a page as CSV (RFC 4180), a column per question. Every text is quoted: an answer may hold line breaks,
 * and parsers differ in which of them end a row.
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

/** What begins a formula in some spreadsheet: = + - @, and the characters that are taken for them. */
const sign = '[=+\\-@\u207a-\u207c\u208a-\u208c\u2212\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20]';
/**
 * What ends a cell inside a quoted text, for some programs: where a comma is the decimal sign, spreadsheets separate cells
 * by semicolons, see no quotes in ours, and take each line break for the end of a row.
 */
const separator = '[;\\t\\n\\v\\f\\r\u0085\u2028\u2029]';
/** What programs drop from the start of a cell: white space, quotes, and characters that are not seen. */
const dropped = `(?:(?!${separator})[\\s\\p{C}'"])*`;
const formula = new RegExp(`(?<=^|${separator})(?=${dropped}${sign})|^(?=[\\t\\r])`, 'gu');

/** Answers come from strangers: what a spreadsheet would run as a formula gets an apostrophe in front. */
function withoutFormulas(text: string): string {
  return text.replace(formula, "'");
}
