import { findForbidden } from '@/lib/services/render/check-input';
import { expect, test } from '../support/without-browser';
import { hostile } from './hostile';
import { legitimate } from './legitimate';

const filled = (html: string) =>
  html.replaceAll('{tcp}', 'http://198.51.100.7:8080').replaceAll('{dns}', 'evil.example');

for (const [name, html] of Object.entries(hostile)) {
  test(`a document with ${name} is refused`, async () => {
    const issues = await findForbidden(filled(html));
    expect(issues.length).toBeGreaterThan(0);
    expect(issues).toEqual(
      issues.slice(0, 3).map(() => ({
        path: expect.stringMatching(/^html(:\d+:\d+)?$/),
        rule: expect.not.stringMatching(/198\.51|evil/),
      })),
    );
  });
}

for (const [name, { html }] of Object.entries(legitimate)) {
  test(`${name} is accepted`, async () => {
    expect(await findForbidden(html)).toEqual([]);
  });
}

test('a finding names line and column', async () => {
  expect(await findForbidden('<!doctype html>\n<p>x</p>\n  <img src="a.png">')).toEqual([
    { path: 'html:3:3', rule: 'src must be a data: image' },
  ]);
});

const mebibyte = 1_048_576;
const fillers: Readonly<Record<string, string>> = {
  'unclosed elements': '<div>',
  'formatting elements': '<b><i>x</p>',
  'list items': '<li>',
  'links in links': '<a href="#">',
  'cells without a table': '<table><td>x',
  'open brackets': '<',
  'open comments': '<!--',
  'bad entities': '&a',
  attributes: ' a=1 b=2',
  templates: '<template>',
  'spaces in a charset': ' ',
  'commas in a srcset': ',',
};
/** The text around a filler, for fillers that are not the whole document. */
const around: Readonly<Record<string, (text: string) => string>> = {
  attributes: (text) => `<p ${text}>`,
  'spaces in a charset': (text) => `<img src="data:image/png;charset=a${text}x,x">`,
  'commas in a srcset': (text) => `<img srcset="a${text}x 1x">`,
};
for (const [name, filler] of Object.entries(fillers)) {
  test(`a megabyte of ${name} is checked in linear time, without blocking others for long`, async () => {
    const text = filler.repeat(Math.floor(mebibyte / filler.length));
    const before = process.cpuUsage();
    await findForbidden(around[name]?.(text) ?? text);
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1e6, 'seconds of CPU').toBeLessThan(5);
  });
}

for (const [name, css] of Object.entries({
  parentheses: '(',
  blocks: '{',
  functions: 'a(',
  comments: '/*',
  escapes: '\\',
})) {
  test(`a megabyte of CSS ${name} does not overflow the stack`, async () => {
    await expect(findForbidden(`<style>${css.repeat(mebibyte / 2)}</style>`)).resolves.toBeDefined();
  });
}

test('an unescaped # in a data: SVG is named as what cuts it off', async () => {
  const svg = '<svg xmlns="http://www.w3.org/2000/svg"><path fill="#fff" d="M0 0h9v9z"/></svg>';
  const issues = await findForbidden(`<img src='data:image/svg+xml,${svg}'>`);
  expect(issues).toEqual([{ path: 'html:1:1', rule: expect.stringMatching(/first #.*%23/) }]);
  expect(await findForbidden(`<img src='data:image/svg+xml,${svg.replace('#', '%23')}'>`)).toEqual([]);
});

const shape = (mark: string) =>
  `<svg xmlns=${mark}http://www.w3.org/2000/svg${mark}><path d=${mark}M0 0h9v9z${mark}/></svg>`;
const png = 'iVBORw0KGgoAAAANSUhEUgAA';
const mistakes: Readonly<Record<string, readonly [html: string, rule: RegExp]>> = {
  'quotation marks like those around it': [
    `<img src="data:image/svg+xml,${shape('"')}">`,
    /within a tag.*%22/,
  ],
  'an ampersand': [
    `<img src='data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg"><text>a &amp; b</text></svg>'>`,
    /%26amp;/,
  ],
  'quotation marks in a CSS string': [
    `<style>p{background:url("data:image/svg+xml,${shape('"')}")}</style>`,
    /within a tag.*%22/,
  ],
  'quotation marks without a CSS string': [
    `<style>p{background:url(data:image/svg+xml,${shape("'")})}</style>`,
    /malformed.*quotation marks/,
  ],
  'a line break in a CSS string': [
    `<style>p{background:url("data:image/svg+xml,${shape("'").replace('><', '>\n<')}")}</style>`,
    /line breaks.*%0A/,
  ],
  'a placeholder': ['<img src="data:image/png;base64,{{LOGO}}">', /base64 must be whole/],
  'three dots': [`<img src="data:image/png;base64,${png}...">`, /base64 must be whole/],
  'the alphabet of URLs': [`<img src="data:image/png;base64,${png}-_==">`, /base64 must be whole/],
  'a digit too many': [`<img src="data:image/png;base64,${png}A">`, /base64 must be whole/],
  'a font that is cut': [
    '<style>@font-face{font-family:A;src:url(data:font/woff2;base64,AA*A)}</style>',
    /base64 must be whole/,
  ],
};
for (const [name, [html, rule]] of Object.entries(mistakes)) {
  test(`the rule that a data: address breaks says how to write it: ${name}`, async () => {
    expect(await findForbidden(html)).toEqual([{ path: 'html:1:1', rule: expect.stringMatching(rule) }]);
  });
}

test('base64 is accepted as browsers take it: with spaces, escapes and without padding', async () => {
  for (const data of [`${png}AA`, `${png}AA%3D%3D`, `\n${png.slice(0, 9)}\n ${png.slice(9)}`, ''])
    expect(await findForbidden(`<img src="data:image/png;base64,${data}">`)).toEqual([]);
});
