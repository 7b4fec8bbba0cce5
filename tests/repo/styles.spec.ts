import { expect, test } from '../support/without-browser';
import { listFiles, read } from './sources';

/** Controls look the same on every page: only `app/_page/controls.css` styles them. */

const controls =
  /(?:^|[\s>+~(,])(?:button|input|select|textarea|\.(?:button|secondary|danger|field|hint|error|option|notice))(?:[.:[][^\s>+~]*)?$/;
const look = /^(?:appearance|background|border|box-shadow|color|font|font-family|font-weight)\b/;

/** The declarations in a style sheet that change how a control looks, as `selector { property }`. */
function looksOfControls(style: string): string[] {
  const rules = style.replaceAll(/\/\*.*?\*\//gs, '').matchAll(/([^{}@;]+)\{([^{}]*)\}/g);
  return [...rules].flatMap(([, selectors = '', declarations = '']) =>
    selectors
      .split(/,(?![^(]*\))/)
      .map((selector) => selector.trim())
      .filter((selector) => controls.test(selector))
      .flatMap((selector) =>
        declarations
          .split(';')
          .map((declaration) => declaration.trim())
          .filter((declaration) => look.test(declaration))
          .map((declaration) => `${selector} { ${declaration.split(':')[0]} }`),
      ),
  );
}

test('the look of buttons, fields and notices is declared in one file', () => {
  const styles = listFiles(/^app\/.*\.css$/).filter((file) => !file.startsWith('app/_page/'));
  expect(styles.length).toBeGreaterThan(5);
  expect(styles.flatMap((file) => looksOfControls(read(file)).map((found) => `${file}: ${found}`))).toEqual(
    [],
  );
});

test('a look of its own is found wherever a style hides it', () => {
  const style = `
    button { background: red; padding: 0 }
    @media print { .try .field > input:focus, p { border-color: red } }
    .notice.wrong { color: red }
    .copy { font-size: 1rem }
    .option label { color: red }
  `;
  expect(looksOfControls(style)).toEqual([
    'button { background }',
    '.try .field > input:focus { border-color }',
    '.notice.wrong { color }',
  ]);
});
