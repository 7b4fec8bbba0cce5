import { randomUUID } from 'node:crypto';
import { toAtomic } from '@/lib/payments/money';
import { balanceOf } from '../support/balances';
import { envelopeFor, payingFetch, paymentHeader } from '../support/buyer';
import { expectError, expectUntouched, startAtomic } from '../support/expectations';
import { mppClient } from '../support/mpp-buyer';
import { newEvmPayer } from '../support/payers';
import { askedProviders, fullBodies, researchOperations } from '../support/research';
import { stack } from '../support/stack';
import { sample } from '../support/tiers';
import { expect, test } from '../support/without-browser';

const headers = { 'Content-Type': 'application/json' };
const post = (body: object, more: Record<string, string> = {}) => ({
  method: 'POST',
  headers: { ...headers, ...more },
  body: JSON.stringify(body),
});

test('there are ten routes, each on both rails at the same price', () => {
  expect(researchOperations.map(({ paths }) => paths.x402)).toEqual([
    '/v1/neural/search',
    '/v1/neural/contents',
    '/v1/neural/find-similar',
    '/v1/neural/answer',
    '/v1/crawl/scrape',
    '/v1/crawl/search',
    '/v1/serp/search',
    '/v1/serp/news',
    '/v1/serp/images',
    '/v1/serp/shopping',
  ]);
  for (const { paths } of researchOperations) expect(paths.mpp).toBe(paths.x402.replace('/v1/', '/v1/mpp/'));
});

/** One of each provider, and one of our own. */
const inDefault = ['serp.search', 'neural.search', 'neural.contents', 'crawl.scrape'];

for (const operation of researchOperations) {
  const { id, paths, price, example } = operation;
  const details = sample(inDefault.includes(id));

  test(
    `${id}: both official clients buy it with a minimal and a full body, at exactly its price`,
    details,
    async () => {
      const wallet = await newEvmPayer(startAtomic, ['base']);
      const x402 = payingFetch(wallet, 'base');
      const mpp = mppClient(wallet, 'base').fetch;
      for (const body of [operation.minimalBody ?? {}, example.body, fullBodies[id] ?? {}]) {
        const one = await x402(`${stack().apiUrl}${paths.x402}`, post(body));
        const other = await mpp(`${stack().apiUrl}${paths.mpp}?network=base`, post(body));
        for (const answer of [one, other]) {
          expect(answer.status, await answer.clone().text()).toBe(200);
          expect(answer.headers.get('sandbox')).toBe('true');
          expect(answer.headers.get('source')).toBe('sandbox');
          expect(answer.headers.get('paid-call-id')).toMatch(/^pc_/);
        }
        expect(one.headers.get('payment-response')).toBeTruthy();
        expect(other.headers.get('payment-receipt')).toBeTruthy();
        const text = await one.text();
        expect(operation.output.safeParse(JSON.parse(text)).error).toBeUndefined();
        expect(await other.text()).toBe(text);
        if (id === 'serp.search') {
          const blocks = ['organic', 'answerBox', 'knowledgeGraph', 'peopleAlsoAsk', 'relatedSearches'];
          expect(Object.keys(JSON.parse(text))).toEqual(expect.arrayContaining(blocks));
        }
        // What the provider charges us for the call.
        expect(text).not.toMatch(/"(costDollars|creditsUsed|credits)":/);
      }
      expect(await balanceOf(wallet, 'base')).toBe(startAtomic - 6n * toAtomic(price));
    },
  );
}

/** One URL of each kind; tests/unit/public-address.spec.ts has all of them. */
const hostileUrls: Readonly<Record<string, RegExp>> = {
  'ftp://example.com/': /^must be an http or https URL/,
  'javascript:alert(1)': /^must be an http or https URL/,
  'example.com': /^must be an http or https URL/,
  'http://ex%61mple.com/': /^must be an http or https URL/,
  'https://user:pw@example.com/': /^must not contain a user name or password$/,
  'https://example.com:8443/': /^must use port 80 or 443$/,
  'http://localhost/': /^must be on a public host/,
  'http://printer.lan/': /^must be on a public host/,
  'http://0x7f.1/': /^must be on a public host/,
  'http://169.254.169.254/latest/meta-data/': /^must be on a public host/,
  'http://[64:ff9b::7f00:1]/': /^must be on a public host/,
  'http://[2001:2::1]/': /^must be on a public host/,
};

/** A body with one mistake, and the field and the rule that the error names. */
type Case = readonly [body: object, path: string, rule: string | RegExp];

const neuralSearch: readonly Case[] = [
  [{}, 'query', 'is required'],
  [{ query: '' }, 'query', 'must not be empty'],
  [{ query: '   ' }, 'query', 'must not be empty'],
  [{ query: 7 }, 'query', 'must be a string'],
  [{ query: 'q'.repeat(1001) }, 'query', 'must have at most 1000 characters'],
  [{ query: 'q', numResults: 26 }, 'numResults', 'must be at most 25'],
  [{ query: 'q', numResults: 0 }, 'numResults', 'must be at least 1'],
  [{ query: 'q', type: 'deep' }, 'type', /^must be one of: auto/],
  [{ query: 'q', category: 'tweet' }, 'category', /^must be one of/],
  [
    { query: 'q', category: 'company', excludeDomains: ['a.com'] },
    'excludeDomains',
    /^must not be used together/,
  ],
  [
    { query: 'q', category: 'people', startPublishedDate: '2026-01-01' },
    'startPublishedDate',
    /^must not be used together/,
  ],
  [{ query: 'q', includeDomains: ['not a host'] }, 'includeDomains.0', /^must be /],
  [{ query: 'q', includeDomains: Array(101).fill('a.com') }, 'includeDomains', 'must have at most 100 items'],
  [{ query: 'q', startPublishedDate: '2026-13-01' }, 'startPublishedDate', /^must be an ISO 8601/],
  [
    { query: 'q', startPublishedDate: '2026-02-01', endPublishedDate: '2026-01-01' },
    'endPublishedDate',
    'must not be before startPublishedDate',
  ],
  [
    { query: 'q', contents: { text: { maxCharacters: 10_001 } } },
    'contents.text.maxCharacters',
    'must be at most 10000',
  ],
  [{ query: 'q', contents: { subpages: 3 } }, 'contents.subpages', 'is not a known field'],
  [{ query: 'q', stream: true }, 'stream', 'is not a known field'],
  [{ query: 'q', outputSchema: {} }, 'outputSchema', 'is not a known field'],
  [[{ query: 'q' }], 'body', 'must be an object'],
];
const cases: Readonly<Record<string, readonly Case[]>> = {
  'neural.search': neuralSearch,
  'neural.contents': [
    [{}, 'urls', 'is required'],
    [{ urls: [] }, 'urls', 'must not be empty'],
    [{ urls: Array(21).fill('https://example.com/') }, 'urls', 'must have at most 20 items'],
    [{ urls: ['https://example.com/'], ids: ['a'] }, 'ids', 'is not a known field'],
    ...Object.entries(hostileUrls).map(
      ([url, rule]): Case => [{ urls: ['https://example.com/', url] }, 'urls.1', rule],
    ),
  ],
  'neural.findSimilar': [
    [{}, 'url', 'is required'],
    [{ url: 'https://example.com/', numResults: 26 }, 'numResults', 'must be at most 25'],
    [{ url: `https://example.com/${'a'.repeat(2048)}` }, 'url', 'must have at most 2048 characters'],
    ...Object.entries(hostileUrls).map(([url, rule]): Case => [{ url }, 'url', rule]),
  ],
  'neural.answer': [
    [{}, 'query', 'is required'],
    [{ query: 'q', model: 'exa-pro' }, 'model', 'is not a known field'],
    [{ query: 'q', stream: false }, 'stream', 'is not a known field'],
    [{ query: 'q', userLocation: 'deu' }, 'userLocation', /^must be /],
  ],
  'crawl.scrape': [
    [{}, 'url', 'is required'],
    [{ url: 'https://example.com/', formats: [] }, 'formats', 'must not be empty'],
    [{ url: 'https://example.com/', formats: ['screenshot'] }, 'formats.0', /^must be one of/],
    [
      { url: 'https://example.com/', formats: ['links', 'links'] },
      'formats',
      'must not contain an item twice',
    ],
    [{ url: 'https://example.com/', timeout: 999 }, 'timeout', 'must be at least 1000'],
    [{ url: 'https://example.com/', timeout: 60_001 }, 'timeout', 'must be at most 60000'],
    [
      { url: 'https://example.com/', timeout: 2_000, waitFor: 1_001 },
      'waitFor',
      'must be at most half of timeout',
    ],
    [{ url: 'https://example.com/', actions: [] }, 'actions', 'is not a known field'],
    [{ url: 'https://example.com/', headers: { Cookie: 'a' } }, 'headers', 'is not a known field'],
    ...Object.entries(hostileUrls).map(([url, rule]): Case => [{ url }, 'url', rule]),
  ],
  'crawl.search': [
    [{}, 'query', 'is required'],
    [{ query: 'q'.repeat(501) }, 'query', 'must have at most 500 characters'],
    [{ query: 'q', limit: 21 }, 'limit', 'must be at most 20'],
    [
      { query: 'q', includeDomains: ['a.com'], excludeDomains: ['b.com'] },
      'excludeDomains',
      'must not be used together with includeDomains',
    ],
    [{ query: 'q', scrapeOptions: { formats: ['json'] } }, 'scrapeOptions.formats.0', 'must be markdown'],
    [{ query: 'q', tbs: 'qdr:x' }, 'tbs', /^must be /],
    [{ query: 'q', sources: ['images'] }, 'sources', 'is not a known field'],
  ],
  ...Object.fromEntries(
    ['serp.search', 'serp.news', 'serp.images', 'serp.shopping'].map((id): [string, readonly Case[]] => [
      id,
      [
        [{}, 'q', 'is required'],
        [{ q: 'q', gl: 'GB' }, 'gl', /^must be /],
        [{ q: 'q', hl: 'english' }, 'hl', /^must be /],
        [{ q: 'q', num: 101 }, 'num', 'must be at most 100'],
        [{ q: 'q', page: 0 }, 'page', 'must be at least 1'],
        [{ q: 'q', tbs: 'qdr:d,sbd:1' }, 'tbs', /^must be /],
        [{ q: 'q', type: 'images' }, 'type', 'is not a known field'],
        [[{ q: 'q' }, { q: 'r' }], 'body', 'must be an object'],
      ],
    ]),
  ),
};

for (const { id, paths, minimalBody } of researchOperations) {
  test(`${id}: what its schema does not take is refused before payment, by field and rule`, async () => {
    const wallet = await newEvmPayer(startAtomic, ['base']);
    const url = `${stack().apiUrl}${paths.x402}`;
    const payment = paymentHeader(await envelopeFor(url, wallet, 'base'));
    for (const [body, path, rule] of cases[id] ?? []) {
      const error = await expectError(await fetch(url, post(body, payment)), 'invalid_input');
      const words = JSON.stringify(body).slice(0, 120);
      expect(error.issues?.[0]?.path, words).toBe(path);
      if (typeof rule === 'string') expect(error.issues?.[0]?.rule, words).toBe(rule);
      else expect(error.issues?.[0]?.rule, words).toMatch(rule);
      expect(error.example).toEqual(minimalBody);
    }
    await expectUntouched(wallet, 'base');
  });
}

test('the URL of any public page is accepted', async () => {
  const wallet = await newEvmPayer(startAtomic, ['base']);
  const urls = [
    'https://example.com',
    'HTTPS://EXAMPLE.COM/a?b=c#d',
    'http://bücher.example.com/',
    'http://8.8.8.8/',
    'http://[2606:4700::1111]/',
    'http://192.0.66.1/',
    'http://localhost.example.com/',
  ];
  const answer = await payingFetch(wallet, 'base')(`${stack().apiUrl}/v1/neural/contents`, post({ urls }));
  expect(answer.status, await answer.text()).toBe(200);
});

test('an empty result is a valid response', async () => {
  const wallet = await newEvmPayer(startAtomic, ['base']);
  const pay = payingFetch(wallet, 'base');
  const nothing = 'sandbox-nothing of this';
  const found = async (path: string, body: object) => {
    const answer = await pay(`${stack().apiUrl}/v1${path}`, post(body));
    expect(answer.status).toBe(200);
    return answer.json();
  };
  expect((await found('/neural/search', { query: nothing })).results).toEqual([]);
  expect((await found('/crawl/search', { query: nothing })).data).toEqual({ web: [] });
  expect((await found('/serp/news', { q: nothing })).news).toEqual([]);
});

test('the response says which pages cannot be read; a page with status 404 is a page', async () => {
  const wallet = await newEvmPayer(startAtomic, ['base']);
  const pay = payingFetch(wallet, 'base');
  const urls = ['https://example.com/', 'https://sandbox-page-not-found.example.com/'];
  const contents = await pay(`${stack().apiUrl}/v1/neural/contents`, post({ urls }));
  const { results, statuses } = await contents.json();
  expect(results).toHaveLength(1);
  expect(statuses.map(({ status }: { status: string }) => status)).toEqual(['success', 'error']);
  const url = 'https://example.com/sandbox-page-404';
  const scraped = await pay(`${stack().apiUrl}/v1/crawl/scrape`, post({ url }));
  expect((await scraped.json()).data.metadata.statusCode).toBe(404);
});

test('a kept failure is replayed exactly, without calling the provider or charging', async () => {
  const wallet = await newEvmPayer(startAtomic, ['base']);
  const pay = payingFetch(wallet, 'base');
  const url = `${stack().apiUrl}/v1/neural/search`;
  const text = `sandbox-fails-invalid-request ${randomUUID()}`;
  const init = post({ query: text }, { 'Idempotency-Key': randomUUID() });
  const first = await pay(url, init);
  const { requestId, ...told } = await expectError(first, 'upstream_rejected');
  expect(told).toMatchObject({ reason: 'invalid_request', payment: 'kept', retry: 'stop' });
  expect(first.headers.get('payment-response'), 'the receipt says what was paid').toBeTruthy();
  for (const attempt of [1, 2]) {
    const again = await pay(url, init);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    const { requestId: other, ...same } = await expectError(again, 'upstream_rejected');
    expect(same, `repetition ${attempt}`).toEqual(told);
    expect(other).not.toBe(requestId);
  }
  expect(await askedProviders(text)).toBe(1);
  expect(await balanceOf(wallet, 'base')).toBe(startAtomic - 10_000n);
  const status = await fetch(`${stack().apiUrl}/v1/paid-calls/${told.paidCallId}`);
  expect(await status.json()).toMatchObject({
    operation: 'neural.search',
    state: 'kept',
    payment: 'kept',
    retry: 'stop',
    transaction: expect.any(String),
  });
});

test('the provider is not called for a refused payment, a refused body or an unpaid request', async () => {
  const [wallet, poor] = [await newEvmPayer(startAtomic, ['base']), await newEvmPayer(0n)];
  const url = `${stack().apiUrl}/v1/neural/search`;
  const mark = randomUUID();
  const body = { query: mark };
  const envelope = await envelopeFor(url, wallet, 'base');
  const answers = await Promise.all([
    fetch(url, post(body)),
    fetch(url, post({ ...body, more: 1 }, paymentHeader(envelope))),
    fetch(url, post(body, paymentHeader(await envelopeFor(url, poor, 'base')))),
    fetch(
      url,
      post(body, paymentHeader(await envelopeFor(url.replace('search', 'contents'), wallet, 'base'))),
    ),
    fetch(url, post(body, { 'PAYMENT-SIGNATURE': 'worthless' })),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([402, 400, 402, 402, 402]);
  expect(await askedProviders(mark)).toBe(0);
  await expectUntouched(wallet, 'base');
  const paid = await fetch(url, post(body, paymentHeader(envelope)));
  expect(paid.status, await paid.text()).toBe(200);
  expect(await askedProviders(mark)).toBe(1);
});

test('over MPP a kept failure has the ID of the call and no receipt', async () => {
  const wallet = await newEvmPayer(startAtomic, ['base']);
  const answer = await mppClient(wallet, 'base').fetch(
    `${stack().apiUrl}/v1/mpp/serp/search?network=base`,
    post({ q: 'sandbox-fails-internal' }),
  );
  await expectError(answer, 'upstream_failed');
  expect(answer.headers.get('payment-receipt')).toBeNull();
  expect(await balanceOf(wallet, 'base')).toBe(startAtomic - 4_000n);
});
