import { namesOf, unsupportedCharacters } from '@/lib/services/render/unsupported-characters';
import { expect, test } from '../support/without-browser';

const soyombo = '\u{11a50}';

for (const [name, html, expected] of [
  ['a character as it is', `<p>${soyombo}`, [0x11a50]],
  ['a hexadecimal reference', '<p>&#x11A50;', [0x11a50]],
  ['a hexadecimal reference in capitals, without its end', '<p>&#X11a50 ', [0x11a50]],
  ['a decimal reference', '<p>&#72272;', [0x11a50]],
  ['an escape in CSS', '<style>p::before { content: "\\11a50" }</style>', [0x11a50]],
  ['several, each once and in order', `${soyombo}\u{ff0ff}${soyombo}\ue000`, [0xe000, 0x11a50, 0xff0ff]],
  ['private use without a font of its own', '\ue000', [0xe000]],
  ['private use with a font of its own', '<style>@font-face { }</style>\ue000', []],
  ['an unassigned code point', '&#x10ffff;', [0x10ffff]],
  ['a reference that is no character', '&#x110000; &#xffffffff; &#; \\ &#xd800;', []],
  ['invisible characters', '\u00ad\u200b\u200d\u2028\ufe0f\ufeff\u{e0067}\ud800\u0085', []],
  ['characters of common fonts', 'Grüße, 漢字, Ελληνικά, עברית, عربي, ไทย, हिन्दी, 😀👩‍👩‍👧🇫🇷', []],
  ['an empty document', '', []],
] as const) {
  test(`${name}: ${expected.length === 0 ? 'nothing is told' : 'told'}`, () => {
    expect(unsupportedCharacters(html)).toEqual(expected);
  });
}

test('the message lists the first of many characters, with the number of the rest', () => {
  const many = Array.from({ length: 40 }, (_, at) => 0xe000 + at);
  expect(namesOf(many)).toBe(
    `${many
      .slice(0, 32)
      .map((codePoint) => `U+${codePoint.toString(16).toUpperCase()}`)
      .join(', ')}, 8 more`,
  );
  expect(namesOf([0xa0])).toBe('U+00A0');
});

test('a mebibyte is checked in an instant', () => {
  for (const html of ['漢'.repeat(349_000), '&#x11a50;'.repeat(116_000), '\\11a50'.repeat(174_000)]) {
    unsupportedCharacters(html);
    const before = process.cpuUsage();
    unsupportedCharacters(html);
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(250);
  }
});
