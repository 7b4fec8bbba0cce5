import { crawl, flights, neural, render } from '@/lib/catalog';
import { sourceOf } from '@/lib/platform/upstream/availability';
import { testPlatform } from '../support/platform';
import { expect, test } from '../support/without-browser';

test('the source of a response is a provider, its sandbox, our own reader, or nobody but us', () => {
  const chromium = { CHROMIUM_PATH: '/usr/bin/chromium' };
  const cases = [
    [crawl.scrape, { ...chromium, FIRECRAWL_API_KEY: 'fc-live' }, 'provider'],
    [crawl.scrape, { ...chromium, FIRECRAWL_API_KEY: 'sandbox_firecrawl' }, 'sandbox'],
    [crawl.scrape, chromium, 'reader'],
    [neural.contents, chromium, 'reader'],
    [neural.contents, { ...chromium, EXA_API_KEY: 'live' }, 'provider'],
    [crawl.search, { SEARXNG_URL: 'https://search.example.com' }, 'provider'],
    [flights.search, { DUFFEL_API_KEY: 'duffel_test_1' }, 'sandbox'],
    [flights.search, { DUFFEL_API_KEY: 'duffel_live_1' }, 'provider'],
    [render.paid[0], {}, null],
  ] as const;
  for (const [operation, settings, source] of cases)
    expect(sourceOf(testPlatform(settings), operation ?? {}), JSON.stringify(settings)).toBe(source);
});
