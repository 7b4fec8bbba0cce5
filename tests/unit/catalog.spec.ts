import { readdirSync } from 'node:fs';
import path from 'node:path';
import { type CatalogModule, freeOperations, operations } from '@/lib/catalog';
import type { FreeOperation } from '@/lib/catalog/free-operation';
import type { Operation } from '@/lib/catalog/operation';
import { expect, test } from '../support/without-browser';

type Entry = Operation | FreeOperation;

/** A file of the catalog and what it exports. */
interface CatalogFile {
  readonly file: string;
  readonly entries: readonly Entry[];
  readonly listed: readonly Entry[];
}

const isEntry = (value: unknown): value is Entry =>
  typeof value === 'object' && value !== null && 'id' in value && 'example' in value;

async function readCatalog(): Promise<CatalogFile[]> {
  const files = readdirSync('lib/catalog')
    .filter((name) => name.endsWith('.ts') && name !== 'index.ts')
    .map((name) => `lib/catalog/${name}`);
  return Promise.all(
    files.map(async (file) => {
      const exported: CatalogModule = await import(path.resolve(file));
      const { paid = [], free = [] } = exported;
      return { file, entries: Object.values(exported).filter(isEntry), listed: [...paid, ...free] };
    }),
  );
}

const idsOf = (entries: readonly Entry[]) => entries.map(({ id }) => id);

test('every entry is in the list of its file, and every list in lib/catalog/index.ts', async () => {
  const files = await readCatalog();
  const listed = files.flatMap((one) => idsOf(one.listed));
  const offered = idsOf([...operations, ...freeOperations]);
  const unlisted = files.flatMap(({ file, entries }) =>
    idsOf(entries)
      .filter((id) => !listed.includes(id))
      .map((id) => `${file} exports ${id} but does not list it in "paid" or "free"`),
  );
  const unread = files
    .filter((one) => idsOf(one.listed).some((id) => !offered.includes(id)))
    .map(({ file }) => `lib/catalog/index.ts does not read the lists of ${file}`);
  expect([...unlisted, ...unread]).toEqual([]);
  expect(listed.sort(), 'listed once').toEqual(offered.sort());
});

test('no two entries share an ID or the name of a price', () => {
  const ids = idsOf([...operations, ...freeOperations]);
  expect(ids).toEqual([...new Set(ids)]);
  const names = operations.map(({ priceName }) => priceName);
  expect(names).toEqual([...new Set(names)]);
});

/**
 * `Create a form`: two to five words in sentence case, without a period. Names such as PDF are in capitals. The verb is in
 * the imperative: `Creating a form` and `Form creation` do not match.
 */
const titleForm = /^(?!\w+(ing|ion)\b)[A-Z][a-z]+( [a-z]+| [A-Z]+){1,4}$/;

test('every entry has a title of two to five words, verb first, that no other entry has', () => {
  const titles = [...operations, ...freeOperations].map(({ id, title }) => ({ id, title }));
  expect(titles.filter(({ title }) => !titleForm.test(title))).toEqual([]);
  expect(new Set(titles.map(({ title }) => title)).size).toBe(titles.length);
});

test('every entry gives an example that its own schemas accept', async () => {
  for (const { file, entries } of await readCatalog()) {
    for (const { id, params, output, example } of entries) {
      expect(params.safeParse(example.params).success, `${file}: params of ${id}`).toBe(true);
      expect(output.safeParse(example.output).success, `${file}: output of ${id}`).toBe(true);
    }
    for (const entry of entries) {
      if (!('body' in entry)) continue;
      const { id, body, example } = entry;
      expect(body.safeParse(example.body).success, `${file}: body of ${id}`).toBe(true);
    }
  }
});
