import type { ReactNode } from 'react';
import { currentApp } from '@/lib/app/current';
import { type PageAnswer, pageRoute } from '@/lib/http/page-route';
import { pageHeaders, pageHtml } from '../page';
import { readSiteConfig } from '../site-config';
import { queryLengthMax, SearchForm } from './search-form';
import { type Found, searchDocs } from './search-index';

/** `GET /docs/search?q=`: a page for people, JSON for the search dialog. */

const path = '/docs/search';

interface SearchOutcome {
  readonly query: string;
  readonly results: readonly Found[];
  /** What is wrong with the query. */
  readonly problem: string | null;
}

export const serveSearch = pageRoute(
  currentApp,
  async ({ request }) => {
    const query = (new URL(request.url).searchParams.get('q') ?? '').trim();
    const problem =
      query.length > queryLengthMax ? `q must have ${queryLengthMax} characters or fewer.` : null;
    const results = problem || query === '' ? [] : await searchDocs(query, await readSiteConfig());
    const outcome = { query, results, problem };
    const status = problem ? 400 : 200;
    return wantsJson(request) ? { status, json: outcome } : searchPage(status, outcome);
  },
  (_, status) => searchPage(status, { query: '', results: [], problem: 'Try again in a minute.' }),
);

const wantsJson = ({ headers }: Request) => headers.get('accept') === 'application/json';

async function searchPage(status: number, outcome: SearchOutcome): Promise<PageAnswer> {
  const html = await pageHtml(path, await readSiteConfig(), {
    title: 'Search',
    description: 'Search guides, calls and errors.',
    body: () => <SearchResults {...outcome} />,
  });
  return { status, html, headers: { ...pageHeaders } };
}

function SearchResults({ query, results, problem }: SearchOutcome): ReactNode {
  return (
    <>
      <h1>Search</h1>
      <SearchForm label="Search again" query={query.slice(0, queryLengthMax)} />
      <p role="status">{problem ?? countOf(query, results)}</p>
      <ol className="docs-results">
        {results.map((found) => (
          <li key={found.path}>
            <a href={found.path}>{found.title}</a> <span>{found.place}</span>
            <p>{found.text}</p>
          </li>
        ))}
      </ol>
    </>
  );
}

function countOf(query: string, { length }: readonly Found[]): string {
  if (query === '') return 'Guides, calls and errors are searched.';
  if (length === 0) return `Nothing was found for “${query}”. Try other words, or the pages in the sidebar.`;
  return length === 1 ? `1 result for “${query}”` : `${length} results for “${query}”`;
}
