import type { ReactNode } from 'react';
import { currentApp } from '@/lib/app/current';
import { type PageAnswer, pageRoute } from '@/lib/http/page-route';
import { pageHeaders, pageHtml } from '../page';
import { readSiteConfig } from '../site-config';
import { markWords } from './marks';
import { queryLengthMax, SearchForm } from './search-form';
import { type Found, type FoundPages, searchDocs } from './search-index';
import { countWords, groupsOf } from './search-words';

/** `GET /docs/search?q=`: a page for people, JSON for the search dialog. */

const path = '/docs/search';

interface SearchOutcome extends FoundPages {
  readonly query: string;
  /** What is wrong with the query. */
  readonly problem: string | null;
}

const nothing: FoundPages = { results: [], total: 0 };

export const serveSearch = pageRoute(
  currentApp,
  async ({ request }) => {
    const query = (new URL(request.url).searchParams.get('q') ?? '').trim();
    const problem =
      query.length > queryLengthMax ? `q must have ${queryLengthMax} characters or fewer.` : null;
    const found = problem || query === '' ? nothing : await searchDocs(query, await readSiteConfig());
    const outcome = { query, ...found, problem };
    const status = problem ? 400 : 200;
    return wantsJson(request) ? { status, json: outcome } : searchPage(status, outcome);
  },
  (_, status) => searchPage(status, { query: '', ...nothing, problem: 'Try again in a minute.' }),
);

const wantsJson = ({ headers }: Request) => headers.get('accept') === 'application/json';

async function searchPage(status: number, outcome: SearchOutcome): Promise<PageAnswer> {
  const html = await pageHtml(path, await readSiteConfig(), {
    title: 'Search',
    description: 'Search guides, calls, errors and the terms of this service.',
    body: () => <SearchResults {...outcome} />,
  });
  return { status, html, headers: { ...pageHeaders } };
}

function SearchResults({ query, results, total, problem }: SearchOutcome): ReactNode {
  return (
    <>
      <h1>Search</h1>
      <SearchForm label="Search again" query={query.slice(0, queryLengthMax)} hasButton />
      <p role="status">{problem ?? countWords(query, results.length, total)}</p>
      {groupsOf(results).map(({ title, found }) => (
        <section key={title} aria-label={title}>
          <h2>{title}</h2>
          <ol className="docs-results">
            {found.map((one) => (
              <Result key={one.path} found={one} />
            ))}
          </ol>
        </section>
      ))}
    </>
  );
}

function Result({ found: { path, title, place, text, words } }: { found: Found }): ReactNode {
  return (
    <li>
      <a href={path}>{title}</a> <span>{place}</span>
      <p>{marked(text, words)}</p>
    </li>
  );
}

function marked(text: string, words: readonly string[]): ReactNode {
  return markWords(text, words).map((piece, at) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of a constant text.
    piece.isMatch ? <mark key={at}>{piece.text}</mark> : piece.text,
  );
}
