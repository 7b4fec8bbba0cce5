import ts from 'typescript';
import { operations } from '@/lib/catalog';
import { expect, test } from '../support/without-browser';
import { listFiles, read } from './sources';

/** What a program can print or compute with: literals and text between tags, but not comments. */
function literalsOf(file: string): string[] {
  const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const isText =
      ts.isLiteralExpression(node) || ts.isTemplateMiddleOrTemplateTail(node) || ts.isTemplateHead(node);
    if (isText || ts.isJsxText(node)) found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

test('prices are written only in the catalog', () => {
  // Where callers choose the price, there is no fixed price to look for.
  const prices = new Set(operations.flatMap(({ price, variablePrice }) => (variablePrice ? [] : [price])));
  const spelled = [...prices].map((price) => new RegExp(`(?<![\\d.])${price.replace('.', '\\.')}(?!\\d)`));
  const offences = listFiles(/^(app|lib|scripts|server\.ts).*\.?(ts|tsx|mjs)$/)
    .filter((file) => !file.startsWith('lib/catalog/'))
    .flatMap((file) =>
      literalsOf(file)
        .filter((literal) => spelled.some((pattern) => pattern.test(literal)))
        .map((literal) => `${file}: ${literal}`),
    );
  expect(offences).toEqual([]);
});

test('the README states the prices of the catalog', () => {
  const rows = read('README.md').split('\n');
  for (const { method, paths, price } of operations) {
    const row = rows.find((line) => line.includes(`\`${method} ${paths.x402}\``));
    expect(
      row?.split('|').map((cell) => cell.trim()),
      `README.md has no row for ${paths.x402} with its price`,
    ).toContain(price);
  }
});
