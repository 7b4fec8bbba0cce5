import { type CellObject, read, utils } from '@e965/xlsx';
import Papa from 'papaparse';
import type { Answer, ResponsesPage } from '@/lib/catalog/forms';
import { responsesCsv } from '@/lib/services/forms/responses-endpoint';
import { expect, test } from '../support/without-browser';

const submittedAt = '2026-12-01T00:00:00.000Z';

/** A CSV page for a form with one question, with a response per answer. */
function csvOf(answers: readonly (Answer | undefined)[], label = 'Question'): string {
  const page: ResponsesPage = {
    form: {
      id: 'fm_1',
      title: 'Form',
      status: 'open',
      closesAt: submittedAt,
      readableUntil: submittedAt,
      responseCount: answers.length,
      maxResponses: 100,
      questions: [
        { id: 'a', type: 'long_text', label, required: false },
        { id: 'after', type: 'text', label: 'After', required: false },
      ],
    },
    responses: answers.map((answer, at) => ({
      id: `fr_${at}`,
      submittedAt,
      answers: { ...(answer === undefined ? {} : { a: answer }), after: 'last' },
    })),
    nextCursor: 'r1',
  };
  return responsesCsv(page);
}

/** The cells as a spreadsheet shows them (SheetJS), row by row, and every formula that it found. */
function openInSpreadsheet(csv: string): { rows: unknown[][]; formulas: string[] } {
  const book = read(csv, { type: 'string', raw: true });
  const sheet = book.Sheets[book.SheetNames[0] ?? ''] ?? {};
  const formulas = Object.values(sheet).flatMap((cell: Partial<CellObject>) => (cell.f ? [cell.f] : []));
  return { rows: utils.sheet_to_json<unknown[]>(sheet, { header: 1, blankrows: true }), formulas };
}

const parse = (csv: string, config: Papa.ParseConfig = {}) =>
  Papa.parse<string[]>(csv, { ...config, skipEmptyLines: false });

const lineBreaks = {
  'a line feed': '\n',
  'a carriage return': '\r',
  'a carriage return and a line feed': '\r\n',
  'a vertical tab': '\v',
  'a form feed': '\f',
  'a next line': '\u0085',
  'a line separator': '\u2028',
  'a paragraph separator': '\u2029',
};
for (const [name, lineBreak] of Object.entries(lineBreaks)) {
  test(`an answer with ${name} stays in its cell`, () => {
    const text = `first${lineBreak}second,third${lineBreak}"fourth"`;
    const csv = csvOf([text, 'next']);
    const { rows } = openInSpreadsheet(csv);
    expect(rows.map((row) => row.slice(2))).toEqual([
      ['Question', 'After'],
      [text, 'last'],
      ['next', 'last'],
    ]);
    const parsed = parse(csv.trimEnd(), { newline: '\r\n' });
    expect(parsed.errors).toEqual([]);
    expect(parsed.data.map((row) => row.slice(2))).toEqual(rows.map((row) => row.slice(2)));
  });

  test(`a formula after ${name} is not the start of a row, nor a formula`, () => {
    const { rows, formulas } = openInSpreadsheet(csvOf([`x${lineBreak}=1+1${lineBreak}y`]));
    expect(rows).toHaveLength(2);
    expect(formulas).toEqual([]);
    expect(rows[1]?.[2]).toBe(`x${lineBreak}'=1+1${lineBreak}y`);
  });
}

const formulas = [
  '=1+1',
  '+1+1',
  '-1+1',
  '@SUM(A1)',
  '\t=1',
  '\r=1',
  '\n=1',
  ' =1',
  '\u00a0=1',
  '\u200b=1',
  '\ufeff=1',
  '"=1"',
  ' " =1',
  "'=1",
  '＝1',
  '＋1',
  '－1',
  '＠SUM(A1)',
  '\u22121',
  '﹦1',
  '=HYPERLINK("http://evil.example","a, b")',
  '","=1+1',
  '"\r\n=1+1',
  "=cmd|' /C calc'!A0",
];
const startsFormula = /^[\s\p{C}"]*[=+\-@＝＋－＠﹢﹣﹦﹫\u2212]/u;
for (const text of formulas) {
  test(`${JSON.stringify(text)} is text, as an answer, in a list and as the label of a question`, () => {
    const csv = csvOf([text, ['Red', text], [text]], text);
    const { rows, formulas } = openInSpreadsheet(csv);
    expect(formulas).toEqual([]);
    expect(rows).toHaveLength(4);
    const cells = rows.flat().map(String);
    expect(cells.filter((cell) => startsFormula.test(cell))).toEqual([]);
    // No part of the answer is lost.
    expect(String(rows[1]?.[2]).replaceAll("'", '')).toBe(text.replaceAll("'", ''));
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
    '"id","submittedAt","Question","After"',
    `"fr_0","${submittedAt}",-5,"last"`,
    `"fr_1","${submittedAt}",0.25,"last"`,
    `"fr_2","${submittedAt}",,"last"`,
    `"fr_3","${submittedAt}","text","last"`,
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
  const { rows } = openInSpreadsheet(csvOf(ordinary));
  expect(rows.slice(1).map((row) => row[2])).toEqual(ordinary);
});

test('a long answer of nothing but separators is written in linear time', () => {
  const before = process.cpuUsage();
  csvOf(Array.from({ length: 100 }, () => '\n'.repeat(2_500) + ' \t;"\''.repeat(500)));
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(2_000);
});
