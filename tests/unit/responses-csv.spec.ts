import Papa from 'papaparse';
import { csvOf, formulas, lineBreaks, startsFormula } from '../support/responses-csv';
import { expect, test } from '../support/without-browser';

/** As programs read CSV (RFC 4180). `responses-csv-in-a-spreadsheet.spec.ts` opens the same in a spreadsheet. */
const parse = (csv: string, config: Papa.ParseConfig = {}) =>
  Papa.parse<string[]>(csv, { ...config, skipEmptyLines: false });

/** All rows, after a check that nothing in them is malformed. */
function rowsOf(csv: string): string[][] {
  const { data, errors } = parse(csv.trimEnd(), { newline: '\r\n' });
  expect(errors).toEqual([]);
  return data;
}

for (const [name, lineBreak] of Object.entries(lineBreaks)) {
  test(`an answer with ${name} stays in its cell`, () => {
    const text = `first${lineBreak}second,third${lineBreak}"fourth"`;
    const csv = csvOf([text, 'next']);
    const rows = rowsOf(csv);
    expect(rows.map((row) => row.slice(2, 4))).toEqual([
      ['Question', 'After'],
      [text, 'last'],
      ['next', 'last'],
    ]);
  });

  test(`a formula after ${name} is not the start of a row`, () => {
    const rows = rowsOf(csvOf([`x${lineBreak}=1+1${lineBreak}y`]));
    expect(rows).toHaveLength(2);
    expect(rows[1]?.[2]).toBe(`x${lineBreak}'=1+1${lineBreak}y`);
  });
}

for (const text of formulas) {
  test(`${JSON.stringify(text)} is text, as an answer, in a list and as the label of a question`, () => {
    const rows = rowsOf(csvOf([text, ['Red', text], [text]], text));
    expect(rows).toHaveLength(4);
    expect(rows.flat().filter((cell) => startsFormula.test(cell))).toEqual([]);
    // No part of the answer is lost.
    expect(rows[1]?.[2]?.replaceAll("'", '')).toBe(text.replaceAll("'", ''));
  });
}

test('no cell begins with a formula where a spreadsheet separates cells by semicolons', () => {
  const hostile = ['a;=1+1', 'a; "=1+1', 'a\n=1+1\nb', 'a\r=1+1', 'a\t=1', ...formulas];
  const csv = csvOf([...hostile, ['Red', '=1+1']], 'label;=1+1');
  for (const delimiter of [';', '\t']) {
    const cells = csv.split(/[\r\n\v\f\u0085\u2028\u2029]/).flatMap((line) => line.split(delimiter));
    expect(cells.filter((cell) => startsFormula.test(cell))).toEqual([]);
    const parsed = parse(csv, { delimiter }).data.flat();
    expect(parsed.filter((cell) => startsFormula.test(cell))).toEqual([]);
  }
});

test('numbers stay numbers, negative ones too, and what was not answered is empty', () => {
  const csv = csvOf([-5, 0.25, undefined, 'text']);
  expect(csv.split('\r\n')).toEqual([
    '"id","submittedAt","Question","After","recipient","deletedAt"',
    `"fr_0","2026-12-01T00:00:00.000Z",-5,"last",,`,
    `"fr_1","2026-12-01T00:00:00.000Z",0.25,"last",,`,
    `"fr_2","2026-12-01T00:00:00.000Z",,"last",,`,
    `"fr_3","2026-12-01T00:00:00.000Z","text","last",,`,
    '',
  ]);
});

test('the last columns have the recipient, and when a response was deleted', () => {
  const at = '2026-12-01T00:00:00.000Z';
  const part = {
    responses: [{ id: 'fr_0', submittedAt: at, answers: { a: 'x' }, recipient: '=Ada' }],
    deleted: [{ id: 'fr_1', deletedAt: at }],
  };
  expect(csvOf([], 'Question', part).split('\r\n').slice(1)).toEqual([
    `"fr_0","${at}","x",,"'=Ada",`,
    `"fr_1",,,,,"${at}"`,
    '',
  ]);
});

test('ordinary text is given as it was written', () => {
  const ordinary = [
    'He said "hi", twice',
    'a; b',
    'a - b = c @ d',
    'O’Neill',
    "'tis",
    'x\ny',
    'one, two',
    '«-»',
    '5\u20136',
  ];
  const rows = rowsOf(csvOf(ordinary));
  expect(rows.slice(1).map((row) => row[2])).toEqual(ordinary);
});

test('a long answer of nothing but separators is written in linear time', () => {
  const before = process.cpuUsage();
  csvOf(Array.from({ length: 100 }, () => '\n'.repeat(2_500) + ' \t;"\''.repeat(500)));
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2_000);
});
