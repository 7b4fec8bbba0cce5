import { scrape, search } from '@/lib/catalog/crawl';
import { crawlWithSearxng } from '@/lib/services/research/searxng/crawl';
import { callFirecrawl } from './firecrawl';
import { forward, forwardOrRead } from './forward';
import { readWithOwnReader } from './own-reader';

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
