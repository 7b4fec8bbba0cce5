import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { BrowserPool } from '@/lib/platform/chromium/browser-pool';
import { type OpenPage, PageBrowser } from '@/lib/platform/chromium/page-browser';
import { quietSwitches } from '@/lib/platform/chromium/switches';
import { extract } from '@/lib/services/research/reader/page/extraction';
import { pageLimits } from '@/lib/services/research/reader/page/page-limits';
import { someone } from '../support/clients';
import { testPlatform } from '../support/platform';
import { expect, test } from '../support/without-browser';
import { expectations } from './saved-pages/expectations';

/** Pages of every common kind, written for these tests with the markup that such sites use. */
const folder = path.join('tests', 'reader', 'saved-pages');
const files = readdirSync(folder).filter((file) => file.endsWith('.html'));
const site = 'https://pages.example.com/';

const pool = new BrowserPool(
  testPlatform(),
  { size: 1, waitingMax: 10, chromiumPath: undefined },
  {
    name: 'a browser for saved pages',
    network: 'host',
    needsSandbox: false,
    workTimeoutMs: 55_000,
    waitTimeoutMs: 30_000,
    launch: (launch) => PageBrowser.launch(launch, { switches: quietSwitches, prepare: serveFiles }),
    tryOut: (browser) => browser.ready(),
  },
);

/** Makes the browser find the saved pages at their addresses, and nothing anywhere else. */
async function serveFiles(page: OpenPage): Promise<OpenPage> {
  const { session } = page;
  session.on('Fetch.requestPaused', ({ requestId, request }) => {
    const file = `${request.url.slice(site.length)}.html`;
    const answer = files.includes(file)
      ? session.send('Fetch.fulfillRequest', {
          requestId,
          responseCode: 200,
          responseHeaders: [{ name: 'Content-Type', value: 'text/html; charset=utf-8' }],
          body: readFileSync(path.join(folder, file)).toString('base64'),
        })
      : session.send('Fetch.failRequest', { requestId, errorReason: 'Failed' });
    answer.catch(() => undefined);
  });
  await session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
  await session.send('Page.enable');
  return page;
}

const wanted = {
  markdown: true,
  rawHtml: false,
  links: false,
  paragraphs: false,
  onlyMainContent: true,
  ...pageLimits,
};

let markdowns: ReadonlyMap<string, string>;

// All pages in one browser, one after the other: starting a browser for each would take most of the time.
test.beforeAll(async () => {
  const done = await pool.run(someone, (browser, timeoutMs) =>
    browser.withPage(timeoutMs, async ({ session }) => {
      const found = new Map<string, string>();
      const { frameTree } = await session.send('Page.getFrameTree');
      for (const name of Object.keys(expectations)) {
        const loaded = new Promise((resolve) => session.once('Page.loadEventFired', resolve));
        await session.send('Page.navigate', { url: `${site}${name}` });
        await loaded;
        const { markdown } = await extract(session, frameTree.frame.id, wanted);
        found.set(name, markdown ?? '');
      }
      return found;
    }),
  );
  if (done.kind !== 'done') throw new Error(`no browser: ${done.kind}`, { cause: done });
  markdowns = done.value;
});
test.afterAll(() => pool.close());

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

for (const [name, { keeps, drops, markdown: marked = [] }] of Object.entries(expectations)) {
  test(`${name}: its content is kept, and nothing else`, () => {
    const markdown = markdowns.get(name) ?? '';
    expect({
      lost: keeps.filter((text) => !plain(markdown).includes(plain(text))),
      left: drops.filter((text) => markdown.includes(text)),
      unmarked: marked.filter((text) => !unaligned(markdown).includes(text)),
      // No HTML but line breaks in cells.
      html: markdown.match(/<\/?(table|t[rdh]|[uo]l|li|div|p|span|h\d)\b/g),
    }).toEqual({ lost: [], left: [], unmarked: [], html: null });
  });
}
