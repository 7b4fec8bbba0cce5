import { buy, check, type Way } from './buying';

/** One of each kind of research: a search by meaning, a page read, a search engine's results. */
export async function buyResearch(way: Way): Promise<void> {
  const over = `over ${way.rail.name},`;
  const neural = await buy<{ results: unknown[] }>(
    {
      words: `a search by meaning, ${over}`,
      path: '/neural/search',
      body: { query: 'sodium-ion storage pilots', numResults: 2 },
    },
    way,
  );
  check(neural.results.length === 2, 'The search does not answer two results.');
  const page = await buy<{ data: { markdown: string } }>(
    {
      words: `a web page as markdown, ${over}`,
      path: '/crawl/scrape',
      body: { url: 'https://example.com/' },
    },
    way,
  );
  check(page.data.markdown.length > 0, 'The page has no markdown.');
  const serp = await buy<{ organic: unknown[] }>(
    {
      words: `the results of a search engine, ${over}`,
      path: '/serp/search',
      body: { q: 'tallest lighthouse in europe', gl: 'gb' },
    },
    way,
  );
  check(serp.organic.length > 0, 'The search engine found nothing.');
}
