import type { search } from '@/lib/catalog/crawl';
import type { Input } from '@/lib/catalog/operation';
import { paying } from '@/lib/platform/owners';
import type { Platform } from '@/lib/platform/platform';
import type { JsonObject } from '@/lib/platform/upstream/call-provider';
import type { WithUpstream } from '@/lib/platform/upstream/circuit-breakers';
import { readPages } from '@/lib/services/research/reader/read-pages';
import type { ReadingPool } from '@/lib/services/research/reader/reading-pool';
import type { Payer } from '@/lib/services/service';
import { callSearxng, type SearxngResult } from './call-searxng';

interface CrawlDeps extends WithUpstream, Pick<Platform, 'settings' | 'clock' | 'timings' | 'metrics'> {
  readonly reading: ReadingPool;
}

/** The call is already paid, so results that are not read within this time come without their page. */
const readingMs = 30_000;
const readersAtOnce = 2;

type Request = Input<typeof search>;

/** SearXNG's results in the shape of the scraping provider's search, with pages read by our own reader. */
export async function crawlWithSearxng(app: CrawlDeps, request: Request, payer: Payer): Promise<JsonObject> {
  const { query, limit, tbs, country, lang, includeDomains, excludeDomains, scrapeOptions } = request;
  const { results } = await callSearxng(app, {
    q: [query, narrowed(includeDomains, excludeDomains)].join(' ').trim(),
    category: 'general',
    language: lang,
    country,
    tbs,
    page: 1,
    wanted: limit,
  });
  const web = results.map(({ url, title, content }, at) => ({
    url,
    title,
    description: content,
    position: at + 1,
  }));
  if (!scrapeOptions) return { success: true, data: { web } };
  const pages = await readAll(app, results, scrapeOptions.onlyMainContent, payer);
  return { success: true, data: { web: web.map((found, at) => ({ ...found, ...pages[at] })) } };
}

/** Search operators that all large engines behind SearXNG support. */
function narrowed(include: readonly string[] = [], exclude: readonly string[] = []): string {
  const only = include.map((domain) => `site:${domain}`).join(' OR ');
  return [only, ...exclude.map((domain) => `-site:${domain}`)].join(' ').trim();
}

interface ReadDeps extends Pick<Platform, 'clock' | 'timings'> {
  readonly reading: ReadingPool;
}

/** The pages in the order of the results. An unreadable page says so and does not affect the others. */
async function readAll(
  app: ReadDeps,
  results: readonly SearxngResult[],
  onlyMainContent: boolean,
  payer: Payer,
): Promise<JsonObject[]> {
  const urls = results.map(({ url }) => url);
  const deadline = app.clock.monotonic() + readingMs;
  const request = { formats: ['markdown'], onlyMainContent, deadline, atOnce: readersAtOnce } as const;
  const readings = await readPages(app, urls, request, paying(payer));
  return urls.map((sourceURL, at) => {
    const reading = readings[at];
    if (reading?.kind === 'read') return { ...reading.data };
    const error = reading?.kind === 'pdf' ? `pdf_${reading.problem}` : (reading?.kind ?? 'not_read');
    return { metadata: { sourceURL, error } };
  });
}
