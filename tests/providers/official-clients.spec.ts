import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { contents } from '@/lib/catalog/neural';
import type { Input } from '@/lib/catalog/operation';
import type { ResearchDeps } from '@/lib/services/research/forward';
import { contentsWithOwnReader } from '@/lib/services/research/own-contents';
import { startSite } from '../reader/pages-server';
import { readerOf } from '../reader/reading';
import { someone } from '../support/clients';
import { fullTierPackages } from '../support/full-tier-packages';
import { testPlatform } from '../support/platform';
import { expect, test } from '../support/without-browser';
import { type Adapters, startAdapters } from './adapters';

/** The official clients of the providers, unmodified, as a second witness of what the sandboxes accept and return. */

let adapters: Adapters;
test.beforeAll(async () => {
  adapters = await startAdapters();
});
test.afterAll(() => adapters.stop());

async function exa() {
  const { default: Exa } = await fullTierPackages.exa();
  return new Exa('sandbox_exa', adapters.urlOf('exa'));
}

async function firecrawl() {
  const { default: Firecrawl } = await fullTierPackages.firecrawl();
  return new Firecrawl({
    apiKey: 'sandbox_firecrawl',
    apiUrl: adapters.urlOf('firecrawl'),
    maxRetries: 1,
  });
}

async function duffel() {
  const { Duffel } = await fullTierPackages.duffel();
  return new Duffel({ token: 'sandbox_duffel', basePath: adapters.urlOf('duffel') });
}

test("Exa's client searches, with and without contents", async () => {
  const found = await (await exa()).search('sodium-ion pilots', {
    numResults: 3,
    category: 'news',
    includeDomains: ['example.com'],
  });
  expect(found.results).toHaveLength(3);
  const contents = {
    text: { maxCharacters: 500 },
    highlights: true,
    summary: true,
    livecrawl: 'fallback',
  } as const;
  const [page] = (await (await exa()).search('sodium-ion pilots', { contents })).results;
  expect(page).toMatchObject({
    text: expect.any(String),
    highlights: [expect.any(String)],
    summary: expect.any(String),
  });
});

test("Exa's client reads pages, finds similar ones and answers questions", async () => {
  const { results } = await (await exa()).getContents(['https://example.com/'], {
    text: { maxCharacters: 500, verbosity: 'standard' },
    summary: true,
    maxAgeHours: 0,
    subpages: 1,
    extras: { links: 2 },
  });
  expect(results).toHaveLength(1);
  const similar = await (await exa()).findSimilar('https://example.com/', {
    excludeSourceDomain: true,
    numResults: 2,
  });
  expect(similar.results).toHaveLength(2);
  const { answer, citations } = await (await exa()).answer('who?', {
    text: true,
    systemPrompt: 'short',
    userLocation: 'US',
  });
  expect(answer).toContain('who?');
  expect(citations).toHaveLength(1);
});

test("Exa's client reads what our own reader returns for pages", async () => {
  const site = await startSite(() => ({
    body: '<title>Start</title><main><h1>Start</h1><p>Run the setup wizard, which asks for the name of the new project.</p></main>',
  }));
  const reader = readerOf([site.port]);
  // Reading needs no other part of the app.
  const app = { ...testPlatform(), reading: reader } as unknown as ResearchDeps;
  const url = `http://site.test:${site.port}/`;
  const api = createServer((_, response) => {
    const request = {
      urls: [url],
      text: true,
      highlights: { query: 'setup' },
      summary: true,
    } as unknown as Input<typeof contents>;
    contentsWithOwnReader
      .prepare(app, request, someone)
      .then((body) =>
        response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body)),
      )
      .catch(() => response.writeHead(500).end());
  });
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  const { default: Exa } = await fullTierPackages.exa();
  const { port } = api.address() as AddressInfo;
  const read = await new Exa('any', `http://127.0.0.1:${port}`).getContents([url], {
    text: true,
    summary: true,
  });
  expect(read.results[0]).toMatchObject({
    id: url,
    title: 'Start',
    text: expect.stringContaining('Run the setup wizard'),
    highlights: [expect.stringContaining('setup')],
    summary: expect.stringContaining('setup wizard'),
  });
  expect(read).toMatchObject({ statuses: [{ id: url, status: 'success' }] });
  await new Promise((resolve) => api.close(resolve));
  await reader.close();
  await site.close();
});

test("Exa's client sees a refusal as one", async () => {
  const refused = (await exa()).search('head of design', {
    category: 'people',
    includeDomains: ['example.com'],
  });
  await expect(refused).rejects.toMatchObject({ statusCode: 400 });
});

test("Firecrawl's client reads a page and a PDF", async () => {
  const page = await (await firecrawl()).scrape('https://example.com/', {
    formats: ['markdown', 'rawHtml', 'links', 'summary', { type: 'screenshot', fullPage: true }],
    onlyMainContent: true,
    waitFor: 1_000,
    timeout: 30_000,
    maxAge: 0,
    mobile: true,
    parsers: [{ type: 'pdf', maxPages: 5 }, 'image'],
    location: { country: 'FR', languages: ['fr'] },
    proxy: 'basic',
    skipTlsVerification: false,
  });
  expect(page).toMatchObject({
    markdown: expect.any(String),
    links: [expect.any(String)],
    metadata: { statusCode: 200 },
  });
  const pdf = await (await firecrawl()).scrape('https://example.com/a.pdf', { parsers: [] });
  expect(pdf.markdown).toMatch(/^JVBERi/);
});

test("Firecrawl's client searches, with pages", async () => {
  const { web } = await (await firecrawl()).search('replication lag', {
    sources: ['web', { type: 'news' }],
    categories: ['github'],
    includeDomains: ['example.com'],
    limit: 3,
    tbs: 'qdr:w',
    location: 'Lyon,France',
    ignoreInvalidURLs: true,
    timeout: 30_000,
    scrapeOptions: { formats: ['markdown'], onlyMainContent: true, parsers: [] },
  });
  expect(web).toHaveLength(3);
});

test("Firecrawl's client sees a blocked site, and a host name that is none, as errors", async () => {
  await expect((await firecrawl()).scrape('https://www.linkedin.com/in/example')).rejects.toMatchObject({
    status: 403,
  });
  const refused = (await firecrawl()).search('q', { includeDomains: ['foo_bar.example.com'] });
  await expect(refused).rejects.toMatchObject({ status: 400 });
});

const journey = {
  slices: [
    {
      origin: 'LHR',
      destination: 'JFK',
      departure_date: '2098-03-04',
      departure_time: null,
      arrival_time: null,
    },
  ],
  passengers: [{ type: 'adult' as const }, { age: 8 }, { age: 1 }],
  cabin_class: 'economy' as const,
  max_connections: 0 as const,
};

test("Duffel's client searches, with the offers in the response and page by page", async () => {
  const { data } = await (await duffel()).offerRequests.create({
    ...journey,
    return_offers: true,
    supplier_timeout: 20_000,
  });
  const all = data.offers ?? [];
  expect(all.length).toBeGreaterThan(2);
  const page = {
    offer_request_id: data.id,
    sort: 'total_amount' as const,
    limit: 2,
    max_connections: 1 as const,
  };
  const first = await (await duffel()).offers.list(page);
  expect(first.data).toHaveLength(2);
  const next = await (await duffel()).offers.list({ ...page, after: first.meta?.after ?? '' });
  const amounts = [...first.data, ...next.data].map(({ total_amount }) => Number(total_amount));
  expect(amounts).toEqual(amounts.toSorted((one, other) => one - other));
  const listed: string[] = [];
  for await (const { data: offer } of (await duffel()).offers.listWithGenerator({
    offer_request_id: data.id,
  }))
    listed.push(offer.id);
  expect(listed.toSorted()).toEqual(all.map(({ id }) => id).toSorted());
  const { data: offer } = await (await duffel()).offers.get(listed[0] ?? '', {
    return_available_services: true,
  });
  expect(offer.id).toBe(listed[0]);
});

test("Duffel's client sees an offer that is gone as an error of the airline", async () => {
  await expect((await duffel()).offers.get('off_sandbox-fails-gone')).rejects.toMatchObject({
    errors: [{ type: 'airline_error', code: 'offer_no_longer_available' }],
  });
});
