import type { scrape } from '@/lib/catalog/crawl';
import { isApiError } from '@/lib/catalog/errors/api-error';
import type { Input } from '@/lib/catalog/operation';
import { admitReading, readWithOwnReader } from '@/lib/services/research/crawl';
import type { ResearchDeps } from '@/lib/services/research/forward';
import type { ReadingPool } from '@/lib/services/research/reader/reading-pool';
import { someone } from '../support/clients';
import { expect, test } from '../support/without-browser';
import { type ServedPage, type Site, startSite } from './pages-server';
import { asking, readerOf } from './reading';

test.describe.configure({ mode: 'serial' });

/**
 * What a caller is told about a page that cannot be read. A server's reader reaches only the public internet, where tests do
 * not go, so the tests call the service in this process, with a reader that may reach their own site.
 */

const pages: Readonly<Record<string, ServedPage>> = {
  '/file.zip': { headers: { 'Content-Type': 'application/zip' }, body: 'PK' },
  '/no/text': { body: '<title>App</title><div id="root"></div>' },
  '/to/port/22': { status: 302, headers: { Location: 'http://site.test:22/' } },
  '/endless/script': { body: '<title>E</title><script>for (;;);</script>' },
  '/endless/body': {
    answer(_, response) {
      response.writeHead(200, { 'Content-Type': 'text/html' });
      const more = () => {
        if (!response.destroyed) response.write('x'.repeat(1 << 20), () => setImmediate(more));
      };
      more();
    },
  },
};

let site: Site;
let reader: ReadingPool;
let app: ResearchDeps;

test.beforeAll(async () => {
  site = await startSite((path) => pages[path]);
  reader = readerOf([site.port], 1, {}, 1);
  // Reading needs no other part of the app.
  app = { reading: reader } as ResearchDeps;
});
test.afterAll(async () => {
  await reader.close();
  await site.close();
});

/** An operation without path parameters has only its body as input. */
const input = (url: string, timeout = 45_000) => asking(url, { timeout }) as Input<typeof scrape>;
const at = (path: string, timeout?: number) => input(`http://site.test:${site.port}${path}`, timeout);
const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'read',
    (error: unknown) => (isApiError(error) ? error.code : String(error)),
  );

test('pages that are private, unsupported, without text, too large or blocked by their own script each get their own code', async () => {
  for (const url of [
    'http://site.test/',
    'http://site.test:22/',
    `http://site.test:${site.port}/to/port/22`,
  ]) {
    expect(await codeOf(readWithOwnReader.prepare(app, input(url), someone)), url).toBe('page_not_public');
  }
  expect(await codeOf(readWithOwnReader.prepare(app, at('/file.zip'), someone))).toBe('page_unsupported');
  expect(await codeOf(readWithOwnReader.prepare(app, at('/no/text'), someone))).toBe('page_without_text');
  expect(await codeOf(readWithOwnReader.prepare(app, at('/endless/body'), someone))).toBe('page_too_large');
  expect(await codeOf(readWithOwnReader.prepare(app, at('/endless/script', 1_000), someone))).toBe(
    'page_unreadable',
  );
});

test('with every browser busy and the queue full, another page is refused before payment', async () => {
  const reading = [1, 2].map(() =>
    codeOf(readWithOwnReader.prepare(app, at('/endless/script', 1_000), someone)),
  );
  expect(await codeOf(admitReading(app, { ...someone, onlyOn: null, now: new Date() }))).toBe('reader_busy');
  await Promise.all(reading);
  expect(await codeOf(admitReading(app, { ...someone, onlyOn: null, now: new Date() }))).toBe('read');
});
