import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { openOfflinePages, readMarkdown } from '../support/offline-pages';
import { sample } from '../support/tiers';
import { expect, test } from '../support/without-browser';
import { expectations } from './saved-pages/expectations';

/** Pages of every common kind, written for these tests with the markup that such sites use. */
const folder = path.join('tests', 'reader', 'saved-pages');
const files = readdirSync(folder).filter((file) => file.endsWith('.html'));
const site = 'https://pages.example.com/';

const pages = openOfflinePages((url) => {
  const file = `${url.slice(site.length)}.html`;
  return files.includes(file) ? readFileSync(path.join(folder, file)) : null;
});

test.afterAll(() => pages.close());

/** Text without markup: links become their text, and all white space is alike. */
const plain = (markdown: string) =>
  markdown
    .replace(/\\([\\`*_{}[\]()#+.!<>~|-])/g, '$1')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[*_`]/g, '')
    .replace(/\s+/g, ' ');
const unaligned = (markdown: string) =>
  markdown
    .split('\n')
    .map((line) => (line.startsWith('|') ? line.replace(/ +/g, ' ') : line))
    .join('\n');

test('every saved page has expectations, and there are forty at least', () => {
  expect(
    Object.keys(expectations)
      .map((name) => `${name}.html`)
      .sort(),
  ).toEqual([...files].sort());
  expect(files.length).toBeGreaterThanOrEqual(40);
  expect(new Set(files.map((file) => file.split('-')[0])).size).toBeGreaterThanOrEqual(10);
});

for (const [index, [name, { keeps, drops, markdown: marked = [] }]] of Object.entries(
  expectations,
).entries()) {
  test(`${name}: its content is kept, and nothing else`, sample(index % 3 === 0), async () => {
    const markdown = await pages.show(`${site}${name}`, readMarkdown);
    expect({
      lost: keeps.filter((text) => !plain(markdown).includes(plain(text))),
      left: drops.filter((text) => markdown.includes(text)),
      unmarked: marked.filter((text) => !unaligned(markdown).includes(text)),
      // No HTML but line breaks in cells.
      html: markdown.match(/<\/?(table|t[rdh]|[uo]l|li|div|p|span|h\d)\b/g),
    }).toEqual({ lost: [], left: [], unmarked: [], html: null });
  });
}
