import { crawl, neural, operations, serp } from '@/lib/catalog';
import type { Operation } from '@/lib/catalog/operation';
import { stack } from './stack';

/** The ten routes of docs/research.md. */
export const researchOperations: readonly Operation[] = operations.filter(
  ({ category }) => category === 'proxy',
);

/** A body with every field, for each route. */
export const fullBodies: Readonly<Record<string, object>> = {
  [neural.search.id]: {
    query: 'sodium-ion pilots',
    type: 'fast',
    numResults: 25,
    category: 'news',
    includeDomains: ['example.com', '*.example.org', 'example.net/blog'],
    excludeDomains: ['example.edu'],
    startPublishedDate: '2026-01-01',
    endPublishedDate: '2026-06-01T00:00:00Z',
    userLocation: 'de',
    moderation: true,
    contents: {
      text: { maxCharacters: 500, includeHtmlTags: false },
      highlights: { query: 'cost', maxCharacters: 200 },
      summary: { query: 'cost' },
      maxAgeHours: 24,
    },
  },
  [neural.contents.id]: {
    urls: Array.from({ length: 20 }, (_, index) => `https://example.com/${index}`),
    text: true,
    highlights: true,
    summary: true,
    maxAgeHours: 0,
  },
  [neural.findSimilar.id]: {
    url: 'https://example.com/a',
    numResults: 25,
    excludeSourceDomain: true,
    category: 'research paper',
    includeDomains: ['example.com'],
    contents: { text: true },
  },
  [neural.answer.id]: { query: 'Why?', text: true, systemPrompt: 'Be brief.', userLocation: 'PT' },
  [crawl.scrape.id]: {
    url: 'https://example.com/pricing',
    formats: ['markdown', 'rawHtml', 'links', 'summary'],
    onlyMainContent: false,
    waitFor: 500,
    mobile: true,
    maxAge: 0,
    timeout: 60_000,
  },
  [crawl.search.id]: {
    query: 'replication lag',
    limit: 20,
    tbs: 'qdr:m',
    location: 'Lyon,France',
    country: 'fr',
    lang: 'fr',
    excludeDomains: ['example.org'],
    scrapeOptions: { formats: ['markdown'], onlyMainContent: true },
    timeout: 60_000,
  },
  ...Object.fromEntries(
    [serp.search, serp.news, serp.images, serp.shopping].map(({ id }) => [
      id,
      {
        q: 'red lighthouse',
        gl: 'gb',
        hl: 'en',
        location: 'London',
        num: 100,
        page: 2,
        autocorrect: false,
        tbs: 'cdr:1,cd_min:1/1/2026,cd_max:6/30/2026',
      },
    ]),
  ),
};

/** How many requests to the providers contained a text. */
export async function askedProviders(text: string): Promise<number> {
  const url = new URL('/requests', stack().serverEnv.EXA_BASE_URL);
  url.searchParams.set('containing', text);
  const { count } = (await (await fetch(url)).json()) as { count: number };
  return count;
}
