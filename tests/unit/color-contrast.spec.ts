import { readFileSync } from 'node:fs';
import { generate, parse, walk } from 'css-tree';
import { expect, test } from '../support/without-browser';

/** The colors in app/_page/tokens.css, checked against WCAG 2.2 (1.4.3 and 1.4.11). */

type Colors = Readonly<Record<string, string>>;

const sheet = parse(readFileSync('app/_page/tokens.css', 'utf8'), { parseCustomProperty: true });

/** The named colors of a mode. */
function colorsIn(mode: 'light' | 'dark'): Colors {
  const found: Record<string, string> = {};
  walk(sheet, function visit(node) {
    const query = this.atrule?.prelude ? generate(this.atrule.prelude) : '';
    if (node.type !== 'Declaration' || query.includes('contrast')) return;
    if (query.includes('dark') && mode === 'light') return;
    const value = generate(node.value);
    if (/^#[0-9a-f]{3,6}$/.test(value)) found[node.property] = value;
  });
  return found;
}

function luminanceOf(hex: string): number {
  const digits = hex.length === 4 ? hex.replaceAll(/[0-9a-f]/g, '$&$&') : hex;
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const share = Number.parseInt(digits.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrastOf(colors: Colors, one: string, other: string): number {
  const [dark = 0, light = 0] = [one, other]
    .map((name) => luminanceOf(colors[name] ?? ''))
    .sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const texts = ['--ink', '--quiet', '--accent', '--good', '--wrong', '--warn'];
const papers = [
  '--paper',
  '--raised',
  '--field',
  '--mark',
  '--accent-paper',
  '--good-paper',
  '--wrong-paper',
  '--warn-paper',
];

for (const mode of ['light', 'dark'] as const) {
  test(`every text color can be read on every background: ${mode}`, () => {
    const colors = colorsIn(mode);
    const pairs = [
      ...texts.flatMap((text) => papers.map((paper) => [text, paper] as const)),
      ['--on-accent', '--accent'],
      ['--on-accent', '--accent-pressed'],
      ['--warn-ink', '--warn-paper'],
    ] as const;
    const faint = pairs.filter(([text, paper]) => !(contrastOf(colors, text, paper) >= 4.5));
    expect(faint).toEqual([]);
  });

  test(`fields and focus stand out from the page: ${mode}`, () => {
    const colors = colorsIn(mode);
    const pairs = ['--field-line', '--focus'].flatMap((line) =>
      ['--paper', '--raised', '--field'].map((paper) => [line, paper] as const),
    );
    expect(pairs.filter(([line, paper]) => !(contrastOf(colors, line, paper) >= 3))).toEqual([]);
  });
}
