import MiniSearch, { type SearchResult } from 'minisearch';
import type { ReactNode } from 'react';
import { about } from '@/lib/catalog/about';
import { pagePaths } from '@/lib/discovery/documents';
import type { SiteConfig } from '@/lib/discovery/site-config';
import type { ServedDocument } from '@/lib/http/documents';
import { SearchForm } from './docs/search-form';
import { pageHeaders, pageHtml } from './page';
import { listOperatorGuides } from './site-config';

/** What is shown where there is no page: what may be meant, a search, and the sidebar if the path is one of the documentation. */
export async function missingPage(
  path: string,
  site: SiteConfig,
  titleOf: (path: string) => Promise<string | undefined>,
): Promise<ServedDocument> {
  const meant = await closestPath(path, site);
  const suggestion = meant === null ? null : { path: meant, title: (await titleOf(meant)) ?? meant };
  const shownAt = path.startsWith('/docs/') ? '/docs/404' : '/404';
  const page = {
    title: 'Page not found',
    description: about.summary,
    body: () => <MissingPage suggestion={suggestion} />,
  };
  return {
    // Not by the path, because callers choose it.
    key: `${shownAt} ${meant}`,
    status: 404,
    mediaType: 'text/html; charset=utf-8',
    make: () => pageHtml(shownAt, site, page),
    headers: { ...pageHeaders, 'X-Robots-Tag': 'noindex' },
  };
}

function MissingPage({
  suggestion,
}: {
  suggestion: { readonly path: string; readonly title: string } | null;
}): ReactNode {
  return (
    <>
      <h1>Page not found</h1>
      {suggestion === null ? null : (
        <p className="lead">
          Did you mean <a href={suggestion.path}>{suggestion.title}</a>?
        </p>
      )}
      <p>The address may have a typing error, or the page may have moved. Nothing was charged.</p>
      <SearchForm label="Search for the page" hasButton />
      <p>
        Or go to the <a href="/docs">documentation</a>, the <a href="/docs/reference">reference</a> or the{' '}
        <a href="/">front page</a>.
      </p>
    </>
  );
}

let paths: Promise<MiniSearch<{ path: string }>> | undefined;

/** Longer paths are not mistyped. */
const pathLengthMax = 100;

/**
 * The page whose path has the most of the words, also if some are misspelled, and the fewest others; null if none has at least
 * half of them.
 */
async function closestPath(path: string, site: SiteConfig): Promise<string | null> {
  if (path.length > pathLengthMax) return null;
  const words = path
    .replaceAll(/[^A-Za-z0-9]+/g, ' ')
    .replace(/\b(docs|html?|php)\b/gi, ' ')
    .trim();
  if (words === '') return null;
  paths ??= indexPaths(site);
  const found = (await paths).search(words, { prefix: true, fuzzy: 0.3 });
  const matched = ({ queryTerms }: SearchResult) => new Set(queryTerms).size;
  const share = ({ id, terms }: SearchResult) => terms.join('').length / String(id).length;
  const [best] = found.sort((one, other) => matched(other) - matched(one) || share(other) - share(one));
  return best && matched(best) * 2 >= words.split(' ').filter(Boolean).length ? String(best.id) : null;
}

async function indexPaths(site: SiteConfig): Promise<MiniSearch<{ path: string }>> {
  const forOperators = Object.values(await listOperatorGuides()).flat();
  const search = new MiniSearch<{ path: string }>({ idField: 'path', fields: ['path'] });
  search.addAll(
    [...pagePaths(site), ...forOperators.map(({ name }) => `/docs/${name}`)].map((path) => ({ path })),
  );
  return search;
}
