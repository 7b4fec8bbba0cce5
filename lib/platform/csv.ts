import { stringify } from 'csv-stringify/sync';

/** Characters that begin a formula in some spreadsheet: = + - @ and their variants. */
const sign = '[=+\\-@\u207a-\u207c\u208a-\u208c\u2212\ufe62\ufe63\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20]';
/**
 * Characters that end a cell within quoted text in some programs: where the decimal separator is a comma, spreadsheets separate
 * cells by semicolons, ignore our quotes, and end rows at every line break.
 */
const separator = '[;\\t\\n\\v\\f\\r\u0085\u2028\u2029]';
/** Characters that programs drop from the start of a cell: white space, quotes and invisible characters. */
const dropped = `(?:(?!${separator})[\\s\\p{C}'"])*`;
const formula = new RegExp(`(?<=^|${separator})(?=${dropped}${sign})|^(?=[\\t\\r])`, 'gu');

/** Puts an apostrophe before every part of a cell's text that a spreadsheet would run as a formula. */
export function withoutFormulas(text: string): string {
  return text.replace(formula, "'");
}

/** Lines of cells as CSV (RFC 4180). Texts that a spreadsheet would run as a formula get an apostrophe. */
export function csvText(lines: readonly (readonly string[])[]): string {
  return stringify(
    lines.map((cells) => cells.map(withoutFormulas)),
    { record_delimiter: 'windows' },
  );
}

/** Whether an Accept header prefers text/csv to JSON (RFC 9110 12.5.1). Wildcards mean JSON. */
export function prefersCsv(accept: string): boolean {
  const weightOf = (type: string) =>
    Math.max(
      0,
      ...accept.split(',').flatMap((part) => {
        const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
        const weight = Number(parameters.find((piece) => piece.startsWith('q='))?.slice(2) ?? 1);
        return name === type ? [Number.isFinite(weight) ? weight : 0] : [];
      }),
    );
  return weightOf('text/csv') > weightOf('application/json');
}

/** Headers of a CSV response that a browser saves under this name. */
export function csvHeaders(fileName: string): Record<string, string> {
  return {
    'Content-Type': 'text/csv; charset=utf-8; header=present',
    'Content-Disposition': `attachment; filename="${fileName}"`,
    'Cache-Control': 'private, no-store',
    Vary: 'Accept',
  };
}
