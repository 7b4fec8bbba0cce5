import { domainToASCII } from 'node:url';
import { z } from 'zod';
import { scrape, search } from '@/lib/catalog/crawl';
import { ApiError } from '@/lib/catalog/errors/api-error';
import type { ErrorCode } from '@/lib/catalog/errors/codes';
import type { Input } from '@/lib/catalog/operation';
import { researchLimits } from '@/lib/catalog/research';
import type { JsonObject } from '@/lib/platform/upstream/call-provider';
import { UpstreamFailure } from '@/lib/platform/upstream/failure';
import { crawlWithSearxng } from '@/lib/services/research/searxng/crawl';
import type { Caller } from '@/lib/services/service';
import { callFirecrawl, unsupportedSite } from './firecrawl';
import { forward, forwardOrRead, type OwnSource, type ResearchDeps } from './forward';
import type { UnreadablePdf } from './reader/page/read';
import type { Reading } from './reader/reading-pool';

const busyRetrySeconds = 5;

/**
 * Whether our own reader would read pages for this caller now.
 * @throws ApiError provider_unavailable or reader_busy (503)
 */
export async function admitReading(
  { reading }: Pick<ResearchDeps, 'reading'>,
  caller: Caller,
): Promise<void> {
  if ((await reading.readiness()) !== 'ready')
    throw new ApiError('provider_unavailable', { retryAfterSeconds: reading.retryAfterSeconds });
  if (!reading.hasRoomFor(caller)) throw new ApiError('reader_busy', { retryAfterSeconds: busyRetrySeconds });
}

/** Reads a page with our own reader, in the shape of the scraping provider's response. Pages are never cached. */
export const readWithOwnReader: OwnSource<Input<typeof scrape>> = {
  admit: admitReading,

  async prepare(app, request, client): Promise<JsonObject> {
    const reading = await app.reading.read(client, request);
    if (reading.kind === 'read') return { success: true, data: reading.data };
    throw refusalOf(reading);
  },
};

/** What callers are told about a page that was not read. Nothing was charged. */
export function refusalOf(reading: Exclude<Reading, { kind: 'read' }>): ApiError {
  switch (reading.kind) {
    case 'not_public':
      return new ApiError('page_not_public');
    case 'unsupported':
      return new ApiError('page_unsupported');
    case 'pdf':
      return new ApiError(pdfCodes[reading.problem]);
    case 'without_text':
      return new ApiError('page_without_text');
    case 'too_large':
      return new ApiError('page_too_large');
    case 'unreachable':
      return new ApiError('page_unreachable');
    case 'busy':
      return new ApiError('reader_busy');
    case 'absent':
    case 'failing':
      return new ApiError('provider_unavailable');
    case 'failed':
      return new ApiError('page_unreadable', { cause: reading.cause });
  }
}

/** What callers are told about a PDF that came and cannot be read. */
const pdfCodes = {
  without_text: 'pdf_without_text',
  protected: 'pdf_unreadable',
  damaged: 'pdf_unreadable',
  without_html: 'page_unsupported',
} as const satisfies Readonly<Record<UnreadablePdf, ErrorCode>>;

/** What one page may cost: a PDF is charged for each of its pages that is read. */
const parsers = [{ type: 'pdf', maxPages: researchLimits.pdfPagesMax }];

/** Firecrawl stops by itself when the caller's time is up. Its response must still arrive after that. */
const scrapeGraceMs = 10_000;
/** A search is followed by the pages that it found, and the slowest of them decides. */
const searchGraceMs = 20_000;

/** For the pages of a search: they have to be done before the caller's time is up. */
const pageTimeout = (timeout: number) => Math.max(1_000, notRaised(timeout) - 5_000);

/** Firecrawl raises a limit of exactly 30 seconds to two minutes, unless it is told which proxies to use. */
function notRaised(timeout: number): number {
  return timeout === 30_000 ? 29_999 : timeout;
}

export const crawlSearch = forward(search, {
  async firecrawl(app, { query, limit, tbs, location, country, lang, scrapeOptions, timeout, ...domains }) {
    const json = await callFirecrawl(
      app,
      '/v2/search',
      {
        query,
        limit,
        sources: ['web'],
        tbs,
        location,
        country: country?.toUpperCase(),
        lang,
        includeDomains: domains.includeDomains?.map(domainToASCII),
        excludeDomains: domains.excludeDomains?.map(domainToASCII),
        timeout,
        ignoreInvalidURLs: true,
        scrapeOptions: scrapeOptions && {
          formats: ['markdown'],
          onlyMainContent: scrapeOptions.onlyMainContent,
          // The time of the search is not that of its pages.
          timeout: pageTimeout(timeout),
          parsers,
        },
      },
      timeout + searchGraceMs,
    );
    refuseWithoutResults(json);
    return json;
  },
  searxng: crawlWithSearxng,
});

/** Firecrawl keeps silent about engines that fail: there is no list then, not even an empty one. */
function refuseWithoutResults(json: JsonObject): void {
  const isList = z.object({ data: z.object({ web: z.array(z.unknown()) }) }).safeParse(json).success;
  if (!isList) throw new UpstreamFailure('failed', 'no_results', { isOfRequest: true });
}

export const crawlScrape = forwardOrRead(
  scrape,
  {
    firecrawl: (app, { url, formats, onlyMainContent, waitFor, mobile, maxAge, timeout }) => {
      const scraping = callFirecrawl(
        app,
        '/v2/scrape',
        {
          url: canonicalUrl(url),
          formats,
          onlyMainContent,
          waitFor: Math.min(waitFor, Math.floor(notRaised(timeout) / 2)),
          mobile,
          maxAge,
          timeout: notRaised(timeout),
          parsers,
          // A page whose certificate is not valid may be anybody's.
          skipTlsVerification: false,
        },
        timeout + scrapeGraceMs,
      );
      scraping.catch((error: unknown) => {
        if (error instanceof UpstreamFailure && error.reason === unsupportedSite) app.unreadSites.note(url);
      });
      return scraping;
    },
  },
  readWithOwnReader,
  {
    firecrawl(app, { url }) {
      if (!app.unreadSites.has(url)) return;
      const issues = [
        { path: 'url', rule: 'must be on a site that the provider reads: it refuses this one' },
      ];
      throw new ApiError('invalid_input', { reason: unsupportedSite, issues });
    },
  },
);

/** As browsers write it: with a host in ASCII, and no dot after it. Firecrawl refuses others. */
function canonicalUrl(text: string): string {
  const url = new URL(text);
  url.hostname = url.hostname.replace(/\.$/, '');
  return url.href;
}
