import { search } from '@/lib/catalog/crawl';
import { askFirecrawl } from './firecrawl';
import { forward } from './forward';
import { crawlWithSearxng } from './searxng/crawl';

export const crawlSearch = forward(search, {
  firecrawl: (app, { query, limit, tbs, location, country, lang, scrapeOptions, timeout, ...domains }) =>
    askFirecrawl(
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
