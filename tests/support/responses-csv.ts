import type { Answer, ResponsesPage } from '@/lib/catalog/forms';
import { responsesCsv } from '@/lib/services/forms/responses-endpoint';

const submittedAt = '2026-12-01T00:00:00.000Z';

/** A CSV page for a form with one question, with a response per answer. */
export function csvOf(
  answers: readonly (Answer | undefined)[],
  label = 'Question',
  part: Partial<ResponsesPage> = {},
): string {
  const page: ResponsesPage = {
    form: {
      id: 'fm_1',
      title: 'Form',
      status: 'open',
      closesAt: submittedAt,
      readableUntil: submittedAt,
      responseCount: answers.length,
      deletedCount: 0,
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
    deleted: [],
    nextCursor: 'r1',
    ...part,
  };
  return responsesCsv(page);
}

/** Characters at which programs may begin a new line. */
export const lineBreaks = {
  'a line feed': '\n',
  'a carriage return': '\r',
  'a carriage return and a line feed': '\r\n',
  'a vertical tab': '\v',
  'a form feed': '\f',
  'a next line': '\u0085',
  'a line separator': '\u2028',
  'a paragraph separator': '\u2029',
};

/** Answers that a spreadsheet would take for formulas, or for the end of a cell with a formula after it. */
export const formulas = [
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

/** The start of a cell that a spreadsheet would take for a formula. */
export const startsFormula = /^[\s\p{C}"]*[=+\-@＝＋－＠﹢﹣﹦﹫\u2212]/u;
