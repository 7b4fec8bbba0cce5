import { crawl } from '@/lib/catalog';
import { crawlScrape, crawlSearch } from '@/lib/services/research/crawl';
import { expect, test } from '../support/without-browser';
import { type Adapters, failureOf, refusedFields, startAdapters } from './adapters';

let adapters: Adapters;
test.beforeAll(async () => {
  adapters = await startAdapters();
});
test.afterAll(() => adapters.stop());

const search = (body: object) => adapters.deliver(crawlSearch, body);
const scrape = (body: object) => adapters.deliver(crawlScrape, body);
const withPages = { scrapeOptions: { formats: ['markdown'] } };

test('a PDF among the results is delivered as Markdown, not as its bytes', async () => {
  const { data } = await search({ query: 'sandbox-finds-pdf', limit: 2, ...withPages });
  expect(data.web?.[0]).toMatchObject({
    url: 'https://example.com/report.pdf',
    markdown: expect.stringMatching(/^# Page 1\n\n# Page 2\n\n# Page 3\n\n# Page 4\n\n# Page 5$/),
    metadata: { numPages: 5, totalPages: 12 },
  });
});

test('a slow page among the results costs its own text and nothing else', async () => {
  const { data } = await search({ query: 'sandbox-finds-slow', limit: 3, timeout: 1_000, ...withPages });
  expect(data.web).toHaveLength(3);
  const [slow, ...others] = data.web ?? [];
  expect(slow).toMatchObject({
    url: 'https://sandbox-page-slow.example.com/',
    metadata: { error: expect.any(String) },
  });
  expect(slow).not.toHaveProperty('markdown');
  for (const other of others) expect(other).toHaveProperty('markdown');
});

test('the pages of a search have less time than the search', async () => {
  for (const [timeout, ofPages] of [
    [1_000, 1_000],
    [20_000, 15_000],
    [30_000, 24_999],
    [60_000, 55_000],
  ]) {
    const before = await adapters.asked(`"timeout":${ofPages},"parsers"`);
    await search({ query: 'time', timeout, ...withPages });
    expect(await adapters.asked(`"timeout":${ofPages},"parsers"`), String(timeout)).toBe(before + 1);
  }
});

test('the URL of a site that Firecrawl never reads is a rejected request, and no alarm', async () => {
  for (const url of ['https://www.linkedin.com/company/example', 'https://reddit.com/r/all'])
    expect(await failureOf(scrape({ url }))).toEqual({
      code: 'upstream_rejected',
      reason: 'unsupported_site',
    });
  // The provider is called as before.
  await scrape({ url: 'https://example.com/' });
});

test('a page of a site that Firecrawl never reads is refused before the payment, and so is one of a site that it has just refused', async () => {
  const admit = (url: string) => adapters.admit(crawlScrape, { url });
  const refused = { code: 'invalid_input', reason: 'unsupported_site' };
  for (const url of ['https://www.linkedin.com/company/example', 'https://old.reddit.com./r/all'])
    expect(await failureOf(admit(url)), url).toEqual(refused);
  const url = 'https://www.example.org/sandbox-fails-blocked-site';
  await admit(url);
  expect(await failureOf(scrape({ url }))).toEqual({ code: 'upstream_rejected', reason: 'unsupported_site' });
  expect(await failureOf(admit('https://example.org/other'))).toEqual(refused);
  await admit('https://example.net/notlinkedin.com');
});

test('Firecrawl refuses a site in several wordings', async () => {
  const failing = (name: string) => failureOf(scrape({ url: `https://sandbox-fails-${name}.example.com/` }));
  for (const name of ['blocked-url', 'blocked-media'])
    expect(await failing(name), name).toEqual({ code: 'upstream_rejected', reason: 'unsupported_site' });
});

/** Faults of a page that Firecrawl reports with status 500, by their names in the sandbox. */
const pageFaults = {
  site: 'scrape_site_error',
  ssl: 'scrape_ssl_error',
  'unsupported-file': 'scrape_unsupported_file_error',
  'pdf-guarded': 'scrape_pdf_antibot_error',
  'document-guarded': 'scrape_document_antibot_error',
  'pdf-scanned': 'scrape_pdf_ocr_required',
  'pdf-time': 'scrape_pdf_insufficient_time_error',
};

for (const [name, reason] of Object.entries(pageFaults)) {
  test(`a fault of the page is no failure of Firecrawl: ${reason}`, async () => {
    const url = `https://sandbox-fails-${name}.example.com/`;
    expect(await failureOf(scrape({ url }))).toEqual({ code: 'upstream_rejected', reason });
  });
}

test('an image, and a page with an invalid certificate, are the faults of their URLs', async () => {
  expect(await failureOf(scrape({ url: 'https://example.com/logo.png' }))).toMatchObject({
    reason: 'scrape_unsupported_file_error',
  });
  expect(await failureOf(scrape({ url: 'https://sandbox-page-self-signed.example.com/' }))).toMatchObject({
    reason: 'scrape_ssl_error',
  });
});

test('a page that only a better proxy can get is read, in a call and in a search', async () => {
  const { data } = await scrape({ url: 'https://sandbox-page-guarded.example.com/' });
  expect(data).toHaveProperty('markdown');
});

test('Firecrawl gets the time that the caller allows, and never the limit that it raises to two minutes', async () => {
  await scrape({ url: 'https://example.com/half-a-minute', waitFor: 15_000 });
  expect(await adapters.asked('half-a-minute')).toBe(1);
  expect(await adapters.asked('"timeout":30000,"parsers"')).toBe(0);
});

test('a host in any script is sent in the only form that Firecrawl reads', async () => {
  for (const url of ['https://example.中国/a', 'https://例え.example.com./', 'http://8.8.8.8/'])
    expect((await scrape({ url })).data, url).toHaveProperty('markdown');
  expect((await search({ query: 'a', includeDomains: ['münchen.de', 'EXAMPLE.com'] })).data.web).toHaveLength(
    10,
  );
  expect(await adapters.asked('"xn--mnchen-3ya.de","example.com"')).toBe(1);
});

test('a host name that Firecrawl refuses is refused before payment', () => {
  const wrong = [
    ...['foo_bar.example.com', 'example..com', '.example.com', 'example.com.', '-bad.com', 'example.c'],
    ...['192.0.2.1', 'a,b.com', '8.8.8.8', 'example.com;', '(x).com', 'пример.рф'],
  ];
  for (const domains of ['includeDomains', 'excludeDomains']) {
    const taken = wrong.filter(
      (host) => refusedFields(crawl.search, { query: 'q', [domains]: [host] }).length === 0,
    );
    expect(taken).toEqual([]);
  }
  const files = ['https://image_0001.jpg/', 'https://report.pdf/page'];
  expect(files.filter((url) => refusedFields(crawl.scrape, { url }).length === 0)).toEqual([]);
});

test('no word about our plan or its limits is in a response', async () => {
  const { data } = await search({ query: 'sandbox-finds-throttled', limit: 1, ...withPages });
  const page = await scrape({ url: 'https://sandbox-page-throttled.example.com/' });
  for (const answer of [data, page]) {
    expect(JSON.stringify(answer)).toContain('Markdown of');
    expect(JSON.stringify(answer)).not.toMatch(/plan|concurren|upgrade|credits|secret/i);
  }
});

test('a search without a list of results is a failure, and one with an empty list is not', async () => {
  expect(await failureOf(search({ query: 'sandbox-engines-fail' }))).toEqual({
    code: 'upstream_failed',
    reason: 'unusable_response',
  });
  expect((await search({ query: 'sandbox-nothing' })).data).toEqual({ web: [] });
});
