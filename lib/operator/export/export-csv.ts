import { csvText } from '@/lib/platform/csv';

const chunkRows = 500;

/**
 * Rows as CSV (RFC 4180) with a header line, in chunks of a few hundred rows, so that a long file is never in memory as a
 * whole. Text that a spreadsheet would run as a formula gets an apostrophe.
 * @param columns the names of the columns, which are keys of the rows
 */
export async function* csvOf<Column extends string>(
  columns: readonly Column[],
  rows: AsyncIterable<Readonly<Record<Column, string>>>,
): AsyncGenerator<string> {
  let lines: (readonly string[])[] = [columns];
  for await (const row of rows) {
    lines.push(columns.map((column) => row[column]));
    if (lines.length < chunkRows) continue;
    yield csvText(lines);
    lines = [];
  }
  if (lines.length > 0) yield csvText(lines);
}
