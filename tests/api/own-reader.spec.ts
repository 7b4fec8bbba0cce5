import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { balanceOf } from '../support/balances';
import { payingFetch } from '../support/buyer';
import { expectError, startAtomic } from '../support/expectations';
import { newEvmPayer } from '../support/payers';
import { startServer, type TestServer } from '../support/server';
import { stack } from '../support/stack';
import { expect, test } from '../support/without-browser';

test.describe.configure({ mode: 'serial' });

let searxng: Server;
let server: TestServer;
/** What a SearXNG of 2026 answers, by category; for the query `blocked`, every engine is blocked. */
const results: Readonly<Record<string, readonly object[]>> = {
  general: [
    { url: 'https://lights.example.com/a', title: 'Lights', content: 'A list.', publishedDate: null },
    { url: 'javascript:alert(1)', title: 'Not a page', content: '' },
  ],
  news: [
    {
      url: 'https://www.news.example.com/n',
      title: 'Dockers return',
      content: 'They do.',
      publishedDate: '2026-11-02T00:00:00',
    },
  ],
  images: [
    {
      url: 'https://pics.example.com/red',
      title: 'Red',
      content: '',
      img_src: 'https://pics.example.com/r.jpg',
      thumbnail_src: 'https://pics.example.com/t.jpg',
      resolution: '1600 x 1067',
    },
  ],
};
const asked: URLSearchParams[] = [];

test.beforeAll(async () => {
  searxng = createServer((request, response) => {
    const query = new URL(request.url ?? '/', 'http://searxng.test').searchParams;
    asked.push(query);
    const isBlocked = query.get('q') === 'blocked';
    const found =
      isBlocked || query.get('pageno') !== '1' ? [] : (results[query.get('categories') ?? ''] ?? []);
    response.writeHead(200, { 'Content-Type': 'application/json' });
    response.end(
      JSON.stringify({
        query: query.get('q'),
        results: found,
        suggestions: ['red lighthouse drawing'],
        unresponsive_engines: isBlocked ? [['duckduckgo', 'CAPTCHA']] : [],
      }),
    );
  });
  await new Promise<void>((resolve) => searxng.listen(0, '127.0.0.1', resolve));
  const { EXA_API_KEY: _e, FIRECRAWL_API_KEY: _f, SERPER_API_KEY: _s, ...settings } = stack().serverEnv;
  const { port } = searxng.address() as AddressInfo;
  server = await startServer({ ...settings, DATABASE_POOL: '10', SEARXNG_URL: `http://127.0.0.1:${port}` });
});
test.afterAll(async () => {
  await server?.stop();
  await new Promise((resolve) => searxng.close(resolve));
});

async function buy(path: string, body: object) {
  const wallet = await newEvmPayer(startAtomic, ['base']);
  const answer = await payingFetch(wallet, 'base')(`${server.apiUrl}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { answer, wallet };
}

test('SearXNG serves the search routes in the shapes of the provider that it replaces', async () => {
  const web = await buy('/v1/serp/search', { q: '!!g red <3 lighthouse', gl: 'gb', hl: 'en', tbs: 'qdr:w' });
  expect(web.answer.status).toBe(200);
  expect(await web.answer.json()).toMatchObject({
    organic: [{ title: 'Lights', link: 'https://lights.example.com/a', snippet: 'A list.', position: 1 }],
    relatedSearches: [{ query: 'red lighthouse drawing' }],
  });
  expect(Object.fromEntries(asked[0] ?? [])).toEqual({
    q: 'g red 3 lighthouse',
    format: 'json',
    categories: 'general',
    pageno: '1',
    language: 'en-GB',
    time_range: 'week',
  });
  const news = await buy('/v1/serp/news', { q: 'dock' });
  expect(await news.answer.json()).toMatchObject({
    news: [{ title: 'Dockers return', source: 'news.example.com', date: '2026-11-02T00:00:00' }],
  });
  const images = await buy('/v1/serp/images', { q: 'red' });
  expect(await images.answer.json()).toMatchObject({
    images: [{ imageUrl: 'https://pics.example.com/r.jpg', imageWidth: 1600, imageHeight: 1067 }],
  });
  const crawl = await buy('/v1/crawl/search', { query: 'lights' });
  expect(await crawl.answer.json()).toMatchObject({
    success: true,
    data: { web: [{ url: 'https://lights.example.com/a', title: 'Lights', description: 'A list.' }] },
  });
});

test('if every engine is blocked, the provider has failed and the payment is kept; shopping is not offered', async () => {
  await expectError(
    (await buy('/v1/serp/search', { q: 'blocked' })).answer,
    'upstream_failed',
    server.apiUrl,
  );
  await expectError(
    (await buy('/v1/serp/shopping', { q: 'torch' })).answer,
    'provider_unconfigured',
    server.apiUrl,
  );
});

test('pages that cannot be read cost nothing, alone or in a list', async () => {
  const url = 'http://nowhere.invalid.example.com/';
  const orders = [
    ['/v1/crawl/scrape', { url }],
    ['/v1/neural/contents', { urls: [url], summary: true }],
  ] as const;
  for (const [path, body] of orders) {
    const { answer, wallet } = await buy(path, body);
    await expectError(answer, 'page_unreachable', server.apiUrl);
    expect(await balanceOf(wallet, 'base')).toBe(startAtomic);
  }
});
