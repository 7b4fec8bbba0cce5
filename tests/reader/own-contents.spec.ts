import { isApiError } from '@/lib/catalog/errors/api-error';
import { contents } from '@/lib/catalog/neural';
import type { Input } from '@/lib/catalog/operation';
import type { ResearchDeps } from '@/lib/services/research/forward';
import { contentsWithOwnReader } from '@/lib/services/research/own-contents';
import type { ReadingPool } from '@/lib/services/research/reader/reading-pool';
import { someone } from '../support/clients';
import { testPlatform } from '../support/platform';
import { expect, test } from '../support/without-browser';
import { type ServedPage, type Site, startSite } from './pages-server';
import { readerOf } from './reading';
import { linesFrom, pdfOf } from './written-pdfs';

test.describe.configure({ mode: 'serial' });

const article = `<!doctype html><html lang="en"><head><title>Storage pilots</title><meta name="author" content="R. Okafor">
<meta property="article:published_time" content="2026-09-14T08:00:00Z"></head><body><nav>menu</nav><main><h1>Storage pilots</h1>
<p>Utilities have tried several ways to keep energy for the evening, and most of them are expensive.</p>
<p>The sodium-ion batteries of the plant keep four hours of its output, and cost nineteen percent less than planned.</p>
<p>A pumped hydroelectric store needs two lakes and a hill between them, which few regions can offer to a utility.</p>
</main></body></html>`;

const filler = Array.from(
  { length: 400 },
  (_, at) =>
    `<p>Paragraph ${at} tells of the history of the town, of its river and of the people who lived there.</p>`,
).join('');
const prices = `<table><tr><th>Article</th><th>Price</th></tr><tr><td>Mainspring</td><td>48 euros</td></tr><tr><td>Balance <b>wheel</b></td><td>73 euros</td></tr></table>`;

const pages: Record<string, ServedPage> = {
  '/long': { body: `<title>Town</title><main><h1>Town</h1>${filler}<h2>Prices</h2>${prices}</main>` },
  '/article': { body: article },
  '/cards': {
    body: '<title>Cards</title><main><p>The fan is at the back of the case.</p><p>A GPU has thousands of cores, which a CPU has not.</p><p>Cables are in the box.</p></main>',
  },
  '/numbers': { body: '<title>1</title><main><p>17 23 42</p></main>' },
  '/chinese': {
    headers: { 'Content-Type': 'text/html; charset=utf-8' },
    body: '<html lang="zh"><title>电池</title><main><p>工厂生产钠电池。价格下降了。城市使用它们。</p></main>',
  },
  '/emoji': {
    headers: { 'Content-Type': 'text/html; charset=utf-8' },
    body: '<title>x</title><main><h1>ab😀cd</h1><p>Some more text.</p></main>',
  },
  '/paper.pdf': {
    headers: { 'Content-Type': 'application/pdf' },
    body: pdfOf([linesFrom(700, ['A paper about sodium batteries, which has one long sentence.'])]),
  },
  '/picture.png': { headers: { 'Content-Type': 'image/png' }, body: 'PNG' },
};

let site: Site;
let reader: ReadingPool;
let app: ResearchDeps;

test.beforeAll(async () => {
  site = await startSite((path) => pages[path]);
  reader = readerOf([site.port], 2);
  app = { ...testPlatform(), reading: reader } as unknown as ResearchDeps;
});
test.afterAll(async () => {
  await reader.close();
  await site.close();
});

const at = (path: string) => `http://site.test:${site.port}${path}`;
// The catalog refuses the port and the name of the test's site. The rest of the body is parsed.
function bodyOf(paths: readonly string[], options: object): Input<typeof contents> {
  const body = contents.body.parse({ urls: paths.map(() => 'https://docs.example.com/'), ...options });
  return { ...body, urls: paths.map(at) } as Input<typeof contents>;
}
const read = async (paths: readonly string[], options: object = {}) =>
  contents.output.parse(await contentsWithOwnReader.prepare(app, bodyOf(paths, options), someone));

test('pages and PDFs are read as text, with title, author, date and a status for each URL', async () => {
  const { results, ...rest } = await read(['/article', '/paper.pdf', '/nowhere', '/picture.png']);
  expect(results).toEqual([
    {
      id: at('/article'),
      url: at('/article'),
      title: 'Storage pilots',
      author: 'R. Okafor',
      publishedDate: '2026-09-14T08:00:00Z',
      text: expect.stringContaining('keep four hours of its output'),
    },
    expect.objectContaining({
      id: at('/paper.pdf'),
      text: expect.stringContaining('A paper about sodium batteries'),
    }),
  ]);
  expect(rest).toMatchObject({
    requestId: expect.any(String),
    statuses: [
      { id: at('/article'), status: 'success', source: 'crawled' },
      { id: at('/paper.pdf'), status: 'success' },
      { id: at('/nowhere'), status: 'error', error: { tag: 'CRAWL_NOT_FOUND', httpStatusCode: 404 } },
      { id: at('/picture.png'), status: 'error', error: { tag: 'UNSUPPORTED_URL', httpStatusCode: null } },
    ],
  });
});

test('highlights answer the query first, summaries prefer its words, and both come without the text', async () => {
  const query = 'cost of sodium battery storage';
  const { results } = await read(['/article'], {
    highlights: { query, maxCharacters: 200 },
    summary: { query },
  });
  const [page] = results;
  expect(page).not.toHaveProperty('text');
  const highlights = page?.highlights as string[];
  expect(highlights[0]).toContain('cost nineteen percent less');
  expect(highlights.join('').length).toBeLessThanOrEqual(200);
  expect(page?.summary).toContain('sodium-ion batteries');
});

test('highlights and summaries are never empty: of short words, of other words, of numbers, and in Chinese', async () => {
  const short = await read(['/cards'], { highlights: { query: 'CPU vs GPU?' }, summary: { query: 'GPU' } });
  expect(short.results[0]).toMatchObject({ highlights: [expect.stringContaining('GPU')] });
  const other = await read(['/article'], { highlights: { query: 'giraffes' } });
  expect(other.results[0]?.highlights).not.toEqual([]);
  const numbers = await read(['/numbers'], { highlights: true, summary: true });
  expect(numbers.results[0]).toMatchObject({
    highlights: [expect.any(String)],
    summary: expect.stringMatching(/17/),
  });
  const chinese = await read(['/chinese'], { highlights: { query: '价格' }, summary: true });
  expect(chinese.results[0]).toMatchObject({
    highlights: [expect.stringContaining('价格')],
    summary: expect.stringContaining('工厂'),
  });
});

test('text is never cut within a character', async () => {
  const { results } = await read(['/emoji'], { text: { maxCharacters: 6 } });
  expect(results[0]?.text).toBe('# ab😀'.slice(0, 6));
  const shorter = await read(['/emoji'], { text: { maxCharacters: 5 } });
  expect(shorter.results[0]?.text).toBe('# ab');
});

test('highlights are found at the end of a long page too, in a table', async () => {
  const { results } = await read(['/long'], { highlights: { query: 'How much is a balance wheel?' } });
  expect(results[0]?.highlights).toEqual(expect.arrayContaining(['Balance wheel | 73 euros']));
});

test('the text is cut to the wanted length, and has its tags where they are wanted', async () => {
  const short = await read(['/article'], { text: { maxCharacters: 20 } });
  expect(String(short.results[0]?.text)).toHaveLength(20);
  const tagged = await read(['/article'], {
    text: { includeHtmlTags: true },
    highlights: true,
    summary: true,
  });
  expect(tagged.results[0]).toMatchObject({
    text: expect.stringContaining('<p>Utilities have'),
    highlights: [expect.any(String), expect.any(String), expect.any(String)],
    summary: expect.any(String),
  });
});

test('a call without one readable page, and one for cached copies only, are refused uncharged', async () => {
  const codeOf = (work: Promise<unknown>) =>
    work.then(
      () => 'done',
      (error: unknown) =>
        isApiError(error) ? { code: error.code, payment: error.payment, path: error.issues[0]?.path } : error,
    );
  const nothing = await codeOf(read(['/picture.png', '/nowhere']));
  expect(nothing).toMatchObject({ code: 'page_unsupported', payment: 'none' });
  const caller = { ...someone, onlyOn: null, now: new Date() };
  const admit = (options: object) =>
    codeOf(contentsWithOwnReader.admit(app, caller, bodyOf(['/article'], options)));
  expect(await admit({ maxAgeHours: -1 })).toEqual({
    code: 'invalid_input',
    payment: 'none',
    path: 'maxAgeHours',
  });
  expect(await admit({ maxAgeHours: 24, summary: true })).toBe('done');
});
