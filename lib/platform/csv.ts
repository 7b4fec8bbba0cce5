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

/** Puts an apostrophe before everything in the text of a cell that a spreadsheet would run as a formula. */
export function withoutFormulas(text: string): string {
  return text.replace(formula, "'");
}
