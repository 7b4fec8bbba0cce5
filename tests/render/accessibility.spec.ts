import { pdf } from '@/lib/catalog/render';
import { validateInput } from '@/lib/http/validate-input';
import { checkHtmlInput } from '@/lib/services/render/check-input';
import { expect, test } from '../support/without-browser';

const validated = (html: string) =>
  validateInput(pdf, checkHtmlInput, Buffer.from(JSON.stringify({ html })), {});

const titled = (rest: string) => `<!doctype html><html lang="en"><title>Report</title>${rest}`;
const noTitle = 'The document has no title. Add <title>.';
const noLanguage = 'The document has no language. Add lang to <html>, such as lang="en".';
const images = 'Images without alt (alt="" marks decoration):';
const headings = 'Headings that skip a level (the first is h1):';
const pixel = 'src="data:image/gif;base64,R0lGODlhAQABAAAAACw="';

const documents: Readonly<Record<string, readonly [html: string, warnings: readonly string[]]>> = {
  'nothing is missing': [
    titled(`<h1>A</h1><h2>B</h2><h3>C</h3><h2>D</h2><img ${pixel} alt=""><img ${pixel} alt="a plan">`),
    [],
  ],
  'everything is missing': [
    `<h2>A</h2><img ${pixel}>`,
    [noTitle, noLanguage, `${images} img 1.`, `${headings} h2 1.`],
  ],
  'the title is only in a picture, or is empty': [
    '<html lang="en"><title> &nbsp;</title><svg role="img"><title>picture</title></svg>',
    [noTitle],
  ],
  'the title is in a comment': ['<html lang="en"><!-- <title>Report</title> -->', [noTitle]],
  'the language is empty': ['<html lang=""><title>Report</title>', [noLanguage]],
  'images are described in other ways': [
    titled(`<img ${pixel} aria-label="a plan"><img ${pixel} role="presentation"><img ${pixel}>`),
    [`${images} img 3.`],
  ],
  'drawings are described, decoration, or neither': [
    titled(
      '<svg role="img" aria-label="A plan"></svg><svg role="img"><title>A plan</title></svg><svg aria-hidden="true"></svg><svg role="none"></svg><svg></svg><svg role="img"><path/></svg><svg role="img">',
    ),
    [
      'Drawings without an alternative (use role="img" with aria-label, or aria-hidden="true"): svg 5, svg 6, svg 7.',
    ],
  ],
  'markup is in a style sheet or a text field': [
    titled('<style>/* <h4> <img> */</style><textarea><h6><img></textarea>'),
    [],
  ],
  'a heading skips a level after others': [
    titled('<h1>A</h1><h3>B</h3><h2>C</h2><h4>D</h4><h4>E</h4>'),
    [`${headings} h3 1, h4 1.`],
  ],
  'a table has header cells, is layout, or has neither': [
    titled(
      '<table><tr><th>A<td>1</table><table role="presentation"><tr><td></table><table><tr><td><table><tr><th></table></table>',
    ),
    ['Tables without header cells (use th; role="presentation" marks layout): table 3.'],
  ],
  'there are many': [
    titled(`<img ${pixel}>`.repeat(25)),
    [`${images} ${Array.from({ length: 20 }, (_, index) => `img ${index + 1}`).join(', ')}, 5 more.`],
  ],
};

for (const [name, [html, warnings]] of Object.entries(documents)) {
  test(`a dry run warns about what only the author can give: ${name}`, async () => {
    expect(await validated(html)).toMatchObject({ kind: 'accepted', warnings });
  });
}

test('a rejected document gets its error and no warnings', async () => {
  const refusal = await validated('<script></script>');
  expect(refusal).toMatchObject({ kind: 'refused', code: 'invalid_input', reason: 'forbidden_html' });
  expect(refusal).not.toHaveProperty('warnings');
});
