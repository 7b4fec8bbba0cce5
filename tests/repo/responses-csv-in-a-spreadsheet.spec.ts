import { fullTierPackages } from '../support/full-tier-packages';
import { csvOf, formulas, lineBreaks, startsFormula } from '../support/responses-csv';
import { expect, test } from '../support/without-browser';

/** The cells as a spreadsheet shows them (SheetJS), row by row, and every formula that it found. */
async function openInSpreadsheet(csv: string): Promise<{ rows: unknown[][]; formulas: string[] }> {
  const { read, utils } = await fullTierPackages.sheetJs();
  const book = read(csv, { type: 'string', raw: true });
  const sheet = book.Sheets[book.SheetNames[0] ?? ''] ?? {};
  const found = Object.values(sheet).flatMap((cell) => (cell.f ? [cell.f] : []));
  return { rows: utils.sheet_to_json<unknown[]>(sheet, { header: 1, blankrows: true }), formulas: found };
}

for (const [name, lineBreak] of Object.entries(lineBreaks)) {
  test(`a spreadsheet shows an answer with ${name} in its cell`, async () => {
    const text = `first${lineBreak}second,third${lineBreak}"fourth"`;
    const { rows } = await openInSpreadsheet(csvOf([text, 'next']));
    expect(rows.map((row) => row.slice(2, 4))).toEqual([
      ['Question', 'After'],
      [text, 'last'],
      ['next', 'last'],
    ]);
  });

  test(`a spreadsheet finds no formula after ${name}`, async () => {
    const opened = await openInSpreadsheet(csvOf([`x${lineBreak}=1+1${lineBreak}y`]));
    expect(opened.rows).toHaveLength(2);
    expect(opened.formulas).toEqual([]);
    expect(opened.rows[1]?.[2]).toBe(`x${lineBreak}'=1+1${lineBreak}y`);
  });
}

for (const text of formulas) {
  test(`a spreadsheet takes ${JSON.stringify(text)} for text, as an answer, in a list and as the label of a question`, async () => {
    const opened = await openInSpreadsheet(csvOf([text, ['Red', text], [text]], text));
    expect(opened.formulas).toEqual([]);
    expect(opened.rows).toHaveLength(4);
    const cells = opened.rows.flat().map(String);
    expect(cells.filter((cell) => startsFormula.test(cell))).toEqual([]);
    // No part of the answer is lost.
    expect(String(opened.rows[1]?.[2]).replaceAll("'", '')).toBe(text.replaceAll("'", ''));
  });
}
