import { stringify } from 'csv-stringify/sync';
import type { Answer, ResponsesPage } from '@/lib/catalog/forms';

/**
 * A page of responses as CSV (RFC 4180), with a column per question. Every text is quoted, because answers may contain
 * line breaks, and parsers differ in which of them end a row.
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

/** Characters that begin a formula in some spreadsheet: = + - @ and similar ones. */
const sign = '[=+\\-@\u207a-\u207c\u208a-\u208c\u2212\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20]';
/**
 * Characters that end a cell inside a quoted text in some programs: with a decimal comma, spreadsheets separate cells
 * by semicolons, ignore our quotes, and end rows at every line break.
 */
const separator = '[;\\t\\n\\v\\f\\r\u0085\u2028\u2029]';
/** Characters that programs drop from the start of a cell: white space, quotes and invisible characters. */
const dropped = `(?:(?!${separator})[\\s\\p{C}'"])*`;
const formula = new RegExp(`(?<=^|${separator})(?=${dropped}${sign})|^(?=[\\t\\r])`, 'gu');

/**
 * Puts an apostrophe before everything that a spreadsheet would run as a formula, because strangers write the answers.
 */
function withoutFormulas(text: string): string {
  return text.replace(formula, "'");
}
