import type { ReactNode } from 'react';
import { currentApp } from '@/lib/app/current';
import { type CallFilters, callQuery, readSearch } from '@/lib/operator/calls/filters';
import type { CallPage } from '@/lib/operator/calls/find-calls';
import { FilterChips, FilterForm, hrefOf, type Query } from './call-filters';
import { CallTable } from './call-table';
import { consolePage, seeOther, showPage } from './console-route';
import { AsOf, Empty, Moment, PageHead } from './parts';
import { errorsOf, type Problem, Summary } from './summary';

/** `GET /operator/calls` */
export const showCalls = consolePage(async (context) => {
  const { search, ...query } = queryOf(context.url);
  const now = currentApp().clock.now();
  if (context.url.searchParams.has('search')) {
    const found = readSearch(search ?? '');
    if (found?.id !== undefined) return seeOther(`/operator/calls/${found.id}`);
    const { payer: _, transaction: __, ...others } = query;
    if (found || search === undefined) return seeOther(hrefOf({ ...others, ...found }));
    const problems = [{ field: 'search', text: messages.search }];
    return showPage(context, 'Calls', <Calls {...{ query, search, problems, now }} />, 400);
  }
  const filters = callQuery.safeParse(query);
  if (!filters.success) {
    const problems = problemsOf(filters.error.issues);
    return showPage(context, 'Calls', <Calls {...{ query, problems, now }} />, 400);
  }
  const page = await currentApp().console.findCalls(filters.data);
  return showPage(context, 'Calls', <Calls {...{ query, page, now }} />);
});

/** A form sends its empty fields too. */
function queryOf(url: URL): Query {
  return Object.fromEntries([...url.searchParams].filter(([, value]) => value.trim() !== ''));
}

/** What is said at each field. */
const messages = {
  search: 'Enter the ID of a call, a payer or a transaction',
  operation: 'Choose an operation from the list',
  state: 'Choose a state from the list',
  network: 'Choose a network from the list',
  from: 'Enter a date such as 2026-11-22',
  to: 'Enter a date such as 2026-11-22',
};

/** The field that has each filter. */
const fields: Readonly<Partial<Record<string, keyof typeof messages>>> = {
  id: 'search',
  payer: 'search',
  transaction: 'search',
  operation: 'operation',
  state: 'state',
  network: 'network',
  from: 'from',
  to: 'to',
} satisfies Partial<Record<keyof CallFilters, keyof typeof messages>>;

function problemsOf(
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
): Problem[] {
  return issues.map(({ path, message }) => {
    const name = path.join('.');
    const field = fields[name];
    return { field, text: field === undefined ? `${name} ${message}`.trim() : messages[field] };
  });
}

/** The file of all calls that match, from the first page on. */
function csvOf({ cursor: _, limit: __, ...filters }: Query): string {
  return hrefOf(filters).replace('/operator/calls', '/operator/calls/csv');
}

interface CallsProps {
  readonly query: Query;
  /** What was searched for, if it is nothing that can be found. */
  readonly search?: string;
  /** Why the filters are not valid. */
  readonly problems?: readonly Problem[];
  readonly page?: CallPage;
  readonly now: number;
}

function Calls({ query, search, problems = [], page, now }: CallsProps): ReactNode {
  return (
    <>
      <PageHead title="Calls">
        {page === undefined || page.calls.length === 0 ? null : (
          <p className="head-action">
            <a className="button secondary" href={csvOf(query)} download aria-describedby="csv-note">
              Export CSV
            </a>
            <span className="hidden" id="csv-note">
              All matching calls. The log records it.
            </span>
          </p>
        )}
      </PageHead>
      <Summary title="This filter is not valid" problems={problems} />
      <FilterForm query={query} search={search} errors={errorsOf(problems)} />
      <div className="results-head">
        <FilterChips query={query} />
        <AsOf now={now} />
      </div>
      {page === undefined ? null : <Found page={page} query={query} now={now} />}
    </>
  );
}

function Found({ page, query, now }: { page: CallPage; query: Query; now: number }): ReactNode {
  const { calls, nextCursor, searchedBackTo } = page;
  return (
    <>
      {calls.length === 0 ? (
        <Empty>
          {nextCursor === null
            ? 'No calls match. Every call appears here as soon as its payment is accepted.'
            : 'No calls match so far.'}
        </Empty>
      ) : (
        <CallTable calls={calls} now={now} />
      )}
      {nextCursor === null || searchedBackTo === null ? null : (
        <p>
          <a href={hrefOf({ ...query, cursor: nextCursor })}>Older calls</a>, before{' '}
          <Moment at={searchedBackTo} />
        </p>
      )}
    </>
  );
}
