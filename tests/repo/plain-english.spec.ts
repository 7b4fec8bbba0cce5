import ts from 'typescript';
import { expect, test } from '../support/without-browser';
import { names, phrases, titleBeginnings } from './plain-words';
import { listFiles, read } from './sources';
import { allTitles } from './test-titles';

/** Names and texts use the words of the field, so that nobody has to look them up. `plain-words.ts` has the list. */

const isProduct = /^((app|lib|packages\/client|scripts)\/.*|[a-z-]+)\.(ts|tsx|mjs)$/;
const isGenerated = /\/(dist|generated)\/|\.generated\./;

/** The words of a name: `hasLanded` has `has` and `landed`. None for a name with underscores, which is that of a column or a field of JSON. */
function wordsOf(name: string): string[] {
  if (name.includes('_')) return [];
  return name
    .replace(/^#/, '')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(' ');
}

/** The names that a file declares, and the texts that it contains, each with its line. */
function partsOf(file: string): { declared: [string, number][]; texts: [string, number][] } {
  const source = ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest, true);
  const lineOf = (node: ts.Node) => source.getLineAndCharacterOfPosition(node.getStart()).line + 1;
  const declared: [string, number][] = [];
  const texts: [string, number][] = [];
  const visit = (node: ts.Node): void => {
    if ((ts.isIdentifier(node) || ts.isPrivateIdentifier(node)) && isDeclared(node))
      declared.push([node.text, lineOf(node)]);
    if (ts.isStringLiteralLike(node) || ts.isTemplateLiteralToken(node) || ts.isJsxText(node))
      texts.push([node.text.replaceAll(/\s+/g, ' '), lineOf(node)]);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return { declared, texts };
}

function isDeclared(node: ts.Identifier | ts.PrivateIdentifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent) || ts.isImportSpecifier(parent)) return false;
  return (parent as ts.Node & { readonly name?: ts.Node }).name === node;
}

function problemsIn(text: string): string[] {
  return phrases.flatMap(({ words, instead }) => {
    const found = words.exec(text);
    return found ? [`"${found[0]}": write ${instead}`] : [];
  });
}

let parsed: { file: string; declared: [string, number][]; texts: [string, number][] }[] | undefined;

/** The names and texts of every product file, read once. */
function product() {
  parsed ??= listFiles(isProduct)
    .filter((file) => !isGenerated.test(file))
    .map((file) => ({ file, ...partsOf(file) }));
  return parsed;
}

test('names of the product use the words of the field', () => {
  expect(product().length).toBeGreaterThan(700);
  const found = product().flatMap(({ file, declared }) =>
    declared.flatMap(([name, line]) =>
      wordsOf(name).flatMap((word) =>
        word in names ? [`${file}:${line}: ${name}, write ${names[word]}`] : [],
      ),
    ),
  );
  expect(found).toEqual([]);
});

test('messages, pages and logs use the words of the field', () => {
  const found = product().flatMap(({ file, texts }) =>
    texts.flatMap(([text, line]) => problemsIn(text).map((problem) => `${file}:${line}: ${problem}`)),
  );
  expect(found).toEqual([]);
});

test('documentation and alerts use the words of the field', () => {
  const files = listFiles(
    /^((docs|deploy|lib|local|tools|packages\/client)\/.*|[A-Z]+)\.(md|ya?ml|json)$/,
  ).filter((file) => !isGenerated.test(file) && !/^CHANGELOG|\/airports\.json$/.test(file));
  expect(files.length).toBeGreaterThan(80);
  const found = files.flatMap((file) =>
    read(file)
      .replaceAll(/\n(?=\S)/g, ' ')
      .split('\n')
      .flatMap(problemsIn)
      .map((problem) => `${file}: ${problem}`),
  );
  expect(found).toEqual([]);
});

test('titles of tests begin with who or what does something', () => {
  const titles = [...allTitles()].flatMap(([file, ofFile]) => ofFile.map((title) => ({ file, title })));
  expect(titles.length).toBeGreaterThan(2_000);
  const found = titles.flatMap(({ file, title }) => [
    ...(titleBeginnings.test(title) ? [`${file}: "${title}" begins with a relative clause`] : []),
    ...problemsIn(title).map((problem) => `${file}: ${problem}`),
  ]);
  expect(found).toEqual([]);
});
