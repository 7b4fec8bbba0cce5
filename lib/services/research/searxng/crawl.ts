import type { search } from '@/lib/catalog/crawl';
import type { Input } from '@/lib/catalog/operation';
import { paying } from '@/lib/platform/owners';
import type { Platform } from '@/lib/platform/platform';
import type { JsonObject } from '@/lib/platform/upstream/call-provider';
import type { WithUpstream } from '@/lib/platform/upstream/circuit-breakers';
import type { ReadingPool } from '@/lib/services/research/reader/reading-pool';
import type { Payer } from '@/lib/services/service';
import { callSearxng, type SearxngResult } from './call-searxng';

/** What `crawlWithSearxng` uses. */
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

/** What reading pages uses. */
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
  const deadline = app.clock.monotonic() + readingMs;
  const pages: JsonObject[] = results.map(({ url }) => ({ metadata: { sourceURL: url, error: 'not_read' } }));
  const rest = [...results.entries()];
  const readNext = async () => {
    for (let next = rest.shift(); next && app.clock.monotonic() < deadline; next = rest.shift()) {
      const [at, { url }] = next;
      pages[at] = await readOne(app, url, onlyMainContent, deadline, payer);
    }
  };
  await Promise.all(Array.from({ length: readersAtOnce }, readNext));
  return pages;
}

async function readOne(
  app: ReadDeps,
  url: string,
  onlyMainContent: boolean,
  deadline: number,
  payer: Payer,
): Promise<JsonObject> {
  const formats = ['markdown'] as const;
  for (;;) {
    const timeout = deadline - app.clock.monotonic();
    const reading = await app.reading.read(paying(payer), {
      url,
      formats,
      onlyMainContent,
      waitFor: 0,
      mobile: false,
      timeout,
    });
    if (reading.kind === 'read') return { ...reading.data };
    // The browsers were busy. The page is paid for, so it is retried while there is time.
    const isWorthAnother =
      reading.kind === 'busy' && app.clock.monotonic() + app.timings.browsers.busyPauseMs < deadline;
    if (!isWorthAnother) return { metadata: { sourceURL: url, error: reading.kind } };
    await app.clock.sleep(app.timings.browsers.busyPauseMs);
  }
}
