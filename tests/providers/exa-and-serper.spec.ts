import { neural, serp } from '@/lib/catalog';
import { neuralContents, neuralFindSimilar, neuralSearch } from '@/lib/services/research/neural';
import { serpImages, serpNews, serpSearch, serpShopping } from '@/lib/services/research/serp';
import { expect, test } from '../support/without-browser';
import { type Adapters, failureOf, refusedFields, startAdapters } from './adapters';

let adapters: Adapters;
// A breaker that one test opens must not refuse the calls of another.
test.beforeEach(async () => {
  adapters = await startAdapters();
});
test.afterEach(() => adapters.stop());

test('domains together with people or companies, which Exa refuses, are refused before payment', () => {
  for (const category of ['people', 'company'])
    for (const [operation, about] of [
      [neural.search, { query: 'head of design' }],
      [neural.findSimilar, { url: 'https://example.com/' }],
    ] as const)
      expect(refusedFields(operation, { ...about, category, includeDomains: ['example.com'] })).toEqual([
        'includeDomains',
      ]);
});

test('domains count for more than the category of publications, which has few domains', async () => {
  for (const category of ['research paper', 'publication']) {
    const includeDomains = ['statistics.example.gov'];
    const found = await adapters.deliver(neuralSearch, { query: 'income', category, includeDomains });
    expect(found.results).toHaveLength(10);
    const similar = { url: 'https://example.com/', category, includeDomains };
    expect((await adapters.deliver(neuralFindSimilar, similar)).results).toHaveLength(10);
  }
  await adapters.deliver(neuralSearch, { query: 'income', category: 'research paper' });
  expect(await adapters.asked('"category":"publication"')).toBe(1);
});

test('the category github, which is a domain, is refused with other domains', () => {
  const body = { query: 'q', category: 'github', includeDomains: ['example.com'] };
  expect(refusedFields(neural.search, body)).toEqual(['includeDomains']);
});

test('pages that were read are delivered, whichever word their status is', async () => {
  const urls = ['https://sandbox-page-partial.example.com/'];
  const { results } = await adapters.deliver(neuralContents, { urls });
  expect(results).toHaveLength(1);
});

test('a call without contents that asks for no text is refused before payment', () => {
  const urls = ['https://example.com/'];
  expect(refusedFields(neural.contents, { urls, text: false })).toEqual(['text']);
  expect(refusedFields(neural.contents, { urls, text: false, summary: true })).toEqual([]);
  expect(refusedFields(neural.contents, { urls })).toEqual([]);
});

test('domains with empty labels are refused before payment', () => {
  for (const domain of ['example..com', '.example.com', 'example.com.', '*..com'])
    expect(refusedFields(neural.search, { query: 'q', includeDomains: [domain] }), domain).toEqual([
      'includeDomains.0',
    ]);
});

test('a path that Exa has retired refuses the calls after the first, uncharged', async () => {
  const call = { url: 'https://sandbox-fails-retired.example.com/' };
  expect(await failureOf(adapters.deliver(neuralFindSimilar, call))).toMatchObject({
    code: 'upstream_failed',
  });
  const next = adapters.deliver(neuralFindSimilar, { url: 'https://example.com/' });
  expect(await failureOf(next)).toMatchObject({ code: 'delivery_pending' });
  await adapters.deliver(neuralSearch, { query: 'q' });
});

test('when Exa no longer finds similar pages, a search for what the page is about does', async () => {
  const call = { url: 'https://sandbox-retired.example.org/', numResults: 3 };
  const { results } = await adapters.deliver(neuralFindSimilar, call);
  expect(results).toHaveLength(3);
  // The sandbox repeats the query in its titles.
  expect(results[0]?.title).toContain('A page: A summary from the sandbox.');
  await adapters.deliver(neuralFindSimilar, { ...call, excludeSourceDomain: true });
  expect(await adapters.asked('"excludeDomains":["sandbox-retired.example.org"]')).toBe(1);
  // Every result of the sandbox is from the same host.
  const source = 'https://example.com/sandbox-retired';
  const others = await adapters.deliver(neuralFindSimilar, { url: source, excludeSourceDomain: true });
  expect(others.results).toEqual([]);
  await adapters.deliver(neuralFindSimilar, { url: 'https://example.com/' });
});

test('an operation of which most calls are rejected raises one alarm', async () => {
  const call = { query: 'sandbox-fails-invalid-body' };
  for (let count = 0; count < 9; count += 1) await adapters.deliver(neuralSearch, { query: 'q' });
  for (let count = 0; count < 10; count += 1) await failureOf(adapters.deliver(neuralSearch, call));
  expect(adapters.alarms).toEqual([]);
  for (let count = 0; count < 12; count += 1) await failureOf(adapters.deliver(neuralSearch, call));
  expect(adapters.alarms).toEqual(['ALARM: a provider rejects most calls of an operation']);
});

test('numbers that are the usual ones are left to Serper, so products are as many as it has', async () => {
  expect((await adapters.deliver(serpShopping, { q: 'torch' })).shopping).toHaveLength(40);
  expect((await adapters.deliver(serpSearch, { q: 'torch' })).organic).toHaveLength(10);
  expect((await adapters.deliver(serpImages, { q: 'torch', num: 100, page: 2 })).images).toHaveLength(100);
  expect(await adapters.asked('"num"')).toBe(1);
  expect(await adapters.asked('"page":2')).toBe(1);
});

test('a search says that it has about ten results a page, and has them', async () => {
  expect((await adapters.deliver(serpNews, { q: 'strike', num: 100 })).news).toHaveLength(10);
  expect(serp.search.body.shape.num.description).toContain('about 10 a page');
});

test('an empty balance is a problem of our account, whichever status it has', async () => {
  for (const name of ['credits', 'credits-429']) {
    const other = await startAdapters();
    const failure = await failureOf(other.deliver(serpSearch, { q: `sandbox-fails-${name}` }));
    expect(failure).toMatchObject({ code: 'upstream_failed' });
    // Not one operation, but all of them, and not for five seconds.
    const next = await failureOf(other.deliver(serpImages, { q: 'torch' }));
    expect(next.code, name).toBe('delivery_pending');
    expect(other.pausedForMs('serper'), name).toBeGreaterThan(30_000);
    await other.stop();
  }
});

test('languages with three letters or a region in numbers, and sorting by date, are taken', () => {
  for (const hl of ['es-419', 'haw', 'zh-tw', 'pt-BR'])
    expect(refusedFields(serp.search, { q: 'q', hl }), hl).toEqual([]);
  expect(refusedFields(serp.search, { q: 'q', tbs: 'sbd:1' })).toEqual([]);
});
