import ts from 'typescript';
import { fullTierPackages } from '../support/full-tier-packages';
import { expect, test } from '../support/without-browser';
import { listFiles, read } from './sources';

/**
 * What no client of the service can hold up it with: code that runs inside a page that is read, where scripts of the page could take
 * as long and which has a time limit, and the check of sellers, a program of its own.
 */
const elsewhere = /^(lib\/services\/research\/reader\/page\/in-page|packages\/seller-check)\//;

/** Expressions whose time may grow with the square of their input, by file: how many there are, and why nobody can make them slow. */
const accepted: Readonly<Record<string, readonly [expressions: number, why: string]>> = {
  'app/_site/docs/search-index.ts': [1, 'An extract of our own guides, which has a largest length.'],
  'app/_site/front/figures.ts': [1, 'Our own documentation.'],
  'app/_site/markdown-links.ts': [1, 'Our own documentation.'],
  'app/_wallets/words.ts': [2, 'Amounts of USDC, which have at most six digits after the point.'],
  'lib/discovery/typed-clients/client-source.ts': [1, 'Our own source.'],
  'lib/platform/setting-rules.ts': [3, 'Settings, which the operator writes.'],
  'lib/services/airports/place-codes.ts': [1, 'A query has at most 100 characters.'],
  'lib/services/forms/answers/check-answers.ts': [
    1,
    'The last part matches any rest, so nothing is tried again.',
  ],
  'lib/services/render/pdf-file.ts': [
    2,
    'What the browser writes, of which at most 4,096 bytes are searched.',
  ],
  'lib/services/research/reader/page/blocks.ts': [
    1,
    'The last part matches any rest, so nothing is tried again.',
  ],
  'lib/services/uploads/slug.ts': [2, 'A file name has at most 180 characters.'],
};

function expressionsOf(file: string): RegExp[] {
  const found: RegExp[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/');
      found.push(new RegExp(node.text.slice(1, end), node.text.slice(end + 1)));
    }
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(file, read(file), ts.ScriptTarget.Latest));
  return found;
}

test('no regular expression takes time that grows with the square of what a client sends', async () => {
  const { analyse } = await fullTierPackages.slowExpressions();
  const isSlow = (expression: RegExp) => analyse(expression).reports.length > 0;
  // The detector sees what it is for.
  expect([/\s+$/, /^(a+)+$/, /^\s+/].map(isSlow)).toEqual([true, true, false]);
  const files = listFiles(/^(app|lib|packages)\/.*\.(ts|tsx|mts|mjs)$/).filter(
    (file) => !elsewhere.test(file),
  );
  const slow = files.map((file) => [file, expressionsOf(file).filter(isSlow)] as const);
  const counts = slow.filter(([, found]) => found.length > 0).map(([file, found]) => [file, found.length]);
  const known = Object.entries(accepted).map(([file, [count]]) => [file, count]);
  const shown = slow.flatMap(([file, found]) => found.map((expression) => `${file}: ${expression}`));
  expect(Object.fromEntries(counts), shown.join('\n')).toEqual(Object.fromEntries(known));
});
