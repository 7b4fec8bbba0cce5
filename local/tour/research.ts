import { type Buyer, buy, check } from './buy';

/** Buys one of each kind of research: a neural search, a page as markdown, search engine results. */
export async function buyResearch(buyer: Buyer): Promise<void> {
  const over = `over ${buyer.rail.name}`;
  const neural = await buy<{ results: unknown[] }>(
    {
      label: `a neural search ${over}`,
      path: '/neural/search',
      body: { query: 'sodium-ion storage pilots', numResults: 2 },
    },
    buyer,
  );
  check(neural.results.length === 2, `The search returned ${neural.results.length} results, not 2.`);
  const page = await buy<{ data: { markdown: string } }>(
    {
      label: `a web page as markdown ${over}`,
      path: '/crawl/scrape',
      body: { url: 'https://example.com/' },
    },
    buyer,
  );
  check(page.data.markdown.length > 0, 'The page has no markdown.');
  const serp = await buy<{ organic: unknown[] }>(
    {
      label: `search engine results ${over}`,
      path: '/serp/search',
      body: { q: 'tallest lighthouse in europe', gl: 'gb' },
    },
    buyer,
  );
  check(serp.organic.length > 0, 'The search engine returned no results.');
}
