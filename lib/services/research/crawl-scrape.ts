import { scrape } from '@/lib/catalog/crawl';
import { askFirecrawl } from './firecrawl';
import { forwardOrRead } from './forward';
import { readOurselves } from './read-ourselves';

export const crawlScrape = forwardOrRead(
  scrape,
  {
    firecrawl: (app, { url, formats, onlyMainContent, waitFor, mobile, maxAge, timeout }) =>
      askFirecrawl(
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
          // A flat price bears no more: PDFs are paid by the page, its better proxies by the call.
          parsers: [{ type: 'pdf', maxPages: 5 }],
          proxy: 'basic',
          skipTlsVerification: false,
        },
        timeout,
      ),
  },
  readOurselves,
);
