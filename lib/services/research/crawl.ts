import { scrape, search } from '@/lib/catalog/crawl';
import { ApiError } from '@/lib/catalog/errors/api-error';
import type { Input } from '@/lib/catalog/operation';
import type { JsonObject } from '@/lib/platform/upstream/call-provider';
import { crawlWithSearxng } from '@/lib/services/research/searxng/crawl';
import { callFirecrawl } from './firecrawl';
import { forward, forwardOrRead, type OwnSource } from './forward';

const busyRetrySeconds = 5;

/** Reads a page with our own reader, in the shape of the scraping provider's response. Pages are never cached. */
export const readWithOwnReader: OwnSource<Input<typeof scrape>> = {
  async admit(app, caller) {
    const pool = app.reading;
    if ((await pool.readiness()) !== 'ready')
      throw new ApiError('provider_unavailable', { retryAfterSeconds: pool.retryAfterSeconds });
    if (!pool.hasRoomFor(caller)) throw new ApiError('reader_busy', { retryAfterSeconds: busyRetrySeconds });
  },

  async prepare(app, request, client): Promise<JsonObject> {
    const reading = await app.reading.read(client, request);
    switch (reading.kind) {
      case 'read':
        return { success: true, data: reading.data };
      case 'not_public':
        throw new ApiError('page_not_public');
      case 'unsupported':
        throw new ApiError('page_unsupported');
      case 'too_large':
        throw new ApiError('page_too_large');
      case 'unreachable':
        throw new ApiError('page_unreachable');
      case 'busy':
        throw new ApiError('reader_busy');
      case 'absent':
      case 'failing':
        throw new ApiError('provider_unavailable');
      case 'failed':
        throw new ApiError('page_unreadable', { cause: reading.cause });
    }
  },
};

export const crawlSearch = forward(search, {
  firecrawl: (app, { query, limit, tbs, location, country, lang, scrapeOptions, timeout, ...domains }) =>
    callFirecrawl(
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
        includeDomains: domains.includeDomains,
        excludeDomains: domains.excludeDomains,
        timeout,
        ignoreInvalidURLs: true,
        scrapeOptions: scrapeOptions && {
          formats: ['markdown'],
          onlyMainContent: scrapeOptions.onlyMainContent,
          parsers: [],
          proxy: 'basic',
        },
      },
      timeout,
    ),
  searxng: crawlWithSearxng,
});

export const crawlScrape = forwardOrRead(
  scrape,
  {
    firecrawl: (app, { url, formats, onlyMainContent, waitFor, mobile, maxAge, timeout }) =>
      callFirecrawl(
        app,
        '/v2/scrape',
        {
          url,
          formats,
          onlyMainContent,
          waitFor,
          mobile,
          maxAge,
          timeout,
          // The flat price covers no more: PDFs are charged per page, better proxies per call.
          parsers: [{ type: 'pdf', maxPages: 5 }],
          proxy: 'basic',
          skipTlsVerification: false,
        },
        timeout,
      ),
  },
  readWithOwnReader,
);
