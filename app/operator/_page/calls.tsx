import type { ReactNode } from 'react';
import { Field } from '@/app/_page/field';
import { Table } from '@/app/_site/table';
import { currentApp } from '@/lib/app/current';
import { operations } from '@/lib/catalog';
import { callQuery, readSearch } from '@/lib/operator/calls/filters';
import type { CallPage, ListedCall } from '@/lib/operator/calls/find-calls';
import { onAccount } from '@/lib/payments/payment';
import { PaidCallState } from '@/lib/platform/database/generated/enums';
import { consolePage, seeOther, showPage } from './console-route';
import { CallLink, Empty, formatUsdc, Id, Moment, shorten } from './parts';
import { StateTag } from './state-tag';
import { Summary } from './summary';

type Query = Readonly<Record<string, string>>;

/** `GET /operator/calls` */
export const showCalls = consolePage(async (context) => {
  const { search, ...query } = queryOf(context.url);
  if (search !== undefined) {
    const found = readSearch(search);
    if (found?.id !== undefined) return seeOther(`/operator/calls/${found.id}`);
    if (found) return seeOther(hrefOf({ ...query, ...found }));
    const problem = `“${search}” is not the id of a call, a wallet, an account or a transaction.`;
    return showPage(context, 'Calls', <Calls query={query} search={search} problem={problem} />, 400);
  }
  const filters = callQuery.safeParse(query);
  if (!filters.success) {
    const problem = filters.error.issues
      .map(({ path, message }) => `${path.join('.')}: ${message}`)
      .join('; ');
    return showPage(context, 'Calls', <Calls query={query} problem={problem} />, 400);
  }
  const page = await currentApp().console.findCalls(filters.data);
  return showPage(context, 'Calls', <Calls query={query} page={page} />);
});

/** A form sends its empty fields too. */
function queryOf(url: URL): Query {
  return Object.fromEntries([...url.searchParams].filter(([, value]) => value.trim() !== ''));
}

function hrefOf(query: Query): string {
  const parameters = new URLSearchParams(query).toString();
  return parameters === '' ? '/operator/calls' : `/operator/calls?${parameters}`;
}

/** The file of all calls that match, from the first page on. */
function csvOf({ cursor: _, limit: __, ...filters }: Query): string {
  return hrefOf(filters).replace('/operator/calls', '/operator/calls/csv');
}

interface CallsProps {
  readonly query: Query;
  readonly search?: string;
  /** Why the filter is not valid. */
  readonly problem?: string;
  readonly page?: CallPage;
}

function Calls({ query, search, problem, page }: CallsProps): ReactNode {
  return (
    <>
      <h1>Calls</h1>
      {problem === undefined ? null : <Summary title="This filter is not valid" text={problem} />}
      <form className="filters" method="get" action="/operator/calls">
        <Filters query={query} search={search} />
        <div className="field actions">
          <button type="submit">Filter</button>
          <a href="/operator/calls">Clear</a>
        </div>
      </form>
      {page === undefined ? null : <Found page={page} query={query} />}
    </>
  );
}

function Filters({ query, search }: { query: Query; search: string | undefined }): ReactNode {
  const networks = [
    ...currentApp()
      .payments.networks.all()
      .map(({ network }) => network.name),
    onAccount,
  ];
  return (
    <>
      <Field id="search" label="Call, payer or transaction">
        <input id="search" name="search" defaultValue={search} autoComplete="off" spellCheck={false} />
      </Field>
      <Chosen query={query} names={['payer', 'transaction', 'id']} />
      <Select
        name="operation"
        title="Operation"
        value={query.operation}
        options={operations.map(({ id }) => id)}
      />
      <Select name="state" title="State" value={query.state} options={Object.values(PaidCallState)} />
      <Select name="network" title="Network" value={query.network} options={networks} />
      <Day name="from" title="From (UTC)" value={query.from} />
      <Day name="to" title="Before (UTC)" value={query.to} />
    </>
  );
}

/** Filters that the search field has set. They stay while others change. */
function Chosen({ query, names }: { query: Query; names: readonly string[] }): ReactNode {
  return names.flatMap((name) => {
    const value = query[name];
    if (value === undefined) return [];
    return (
      <Field key={name} id={name} label={name.charAt(0).toUpperCase() + name.slice(1)}>
        <input id={name} name={name} defaultValue={value} autoComplete="off" spellCheck={false} />
      </Field>
    );
  });
}

function Select({
  name,
  title,
  value,
  options,
}: {
  name: string;
  title: string;
  value: string | undefined;
  options: readonly string[];
}): ReactNode {
  return (
    <Field id={name} label={title}>
      <select id={name} name={name} defaultValue={value ?? ''}>
        <option value="">any</option>
        {options.map((option) => (
          <option key={option} value={option}>
            {option}
          </option>
        ))}
      </select>
    </Field>
  );
}

function Day({ name, title, value }: { name: string; title: string; value: string | undefined }): ReactNode {
  return (
    <Field id={name} label={title}>
      <input id={name} name={name} type="date" defaultValue={value} />
    </Field>
  );
}

function Found({ page, query }: { page: CallPage; query: Query }): ReactNode {
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
        <>
          <CallTable calls={calls} />
          <p>
            <a href={csvOf(query)} download>
              Export all matching calls as CSV
            </a>{' '}
            <span className="quiet">(logged)</span>
          </p>
        </>
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

function CallTable({ calls }: { calls: readonly ListedCall[] }): ReactNode {
  return (
    <Table
      label="Calls, the newest first"
      columns={[
        { title: 'Call' },
        { title: 'Time (UTC)' },
        { title: 'State' },
        { title: 'Operation' },
        { title: 'Price', className: 'number' },
        { title: 'Network' },
        { title: 'Payer' },
      ]}
      rows={calls.map(({ id, createdAt, state, moveNote, operation, amountAtomic, network, payer }) => ({
        key: id,
        cells: [
          <CallLink key="id" id={id} />,
          <Moment key="at" at={createdAt} />,
          <StateTag key="state" state={state} note={moveNote} />,
          operation,
          formatUsdc(amountAtomic),
          network,
          <a key="payer" href={hrefOf({ payer })} title={payer}>
            <Id value={shorten(payer)} />
          </a>,
        ],
      }))}
    />
  );
}
