import type { ReactNode } from 'react';
import { describing, Field } from '@/app/_page/field';
import { currentApp } from '@/lib/app/current';
import { operations } from '@/lib/catalog';
import { networkLabel } from '@/lib/payments/network-offers';
import { onAccount } from '@/lib/payments/payment';
import { PaidCallState } from '@/lib/platform/database/generated/enums';
import { stateWords } from './state-tag';

/** The filters of the list of calls, as they are in its address. */

export type Query = Readonly<Record<string, string>>;

export function hrefOf(query: Query): string {
  const parameters = new URLSearchParams(query).toString();
  return parameters === '' ? '/operator/calls' : `/operator/calls?${parameters}`;
}

type Errors = Readonly<Record<string, string | undefined>>;

/** The inputs that the form has. The search sets `payer` or `transaction`. */
const inputs = ['operation', 'state', 'network', 'from', 'to', 'cursor'];

/** The search keeps what was entered, and another search replaces it. */
export function FilterForm({
  query,
  search,
  errors,
}: {
  query: Query;
  search: string | undefined;
  errors: Errors;
}): ReactNode {
  const searched = search ?? query.payer ?? query.transaction ?? query.id;
  const kept = Object.entries(query).filter(
    ([name, value]) => !inputs.includes(name) && value !== searched && search === undefined,
  );
  const networks = [
    ...currentApp()
      .payments.networks.all()
      .map(({ network }) => network.name),
    onAccount,
  ];
  const select = (name: string) => ({ name, value: query[name], error: errors[name] });
  return (
    <form className="filters" method="get" action="/operator/calls">
      {kept.map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      <Field id="search" label="Call, payer or transaction" error={errors.search}>
        <input
          id="search"
          name="search"
          defaultValue={searched}
          autoComplete="off"
          spellCheck={false}
          {...describing('search', { error: errors.search })}
        />
      </Field>
      <Select {...select('operation')} title="Operation" options={operations.map(({ id }) => [id, id])} />
      <Select
        {...select('state')}
        title="State"
        options={Object.values(PaidCallState).map((state) => [state, stateWords(state)])}
      />
      <Select
        {...select('network')}
        title="Network"
        options={networks.map((name) => [name, networkLabel(name)])}
      />
      <Day {...select('from')} title="From (UTC)" />
      <Day {...select('to')} title="Before (UTC)" />
      <div className="field actions">
        <button type="submit">Filter</button>
      </div>
    </form>
  );
}

interface InputProps {
  readonly name: string;
  readonly title: string;
  readonly value: string | undefined;
  readonly error: string | undefined;
}

function Select({
  name,
  title,
  value,
  error,
  options,
}: InputProps & { readonly options: readonly (readonly [value: string, words: string])[] }): ReactNode {
  return (
    <Field id={name} label={title} error={error}>
      <select id={name} name={name} defaultValue={value ?? ''} {...describing(name, { error })}>
        <option value="">Any</option>
        {options.map(([option, words]) => (
          <option key={option} value={option}>
            {words}
          </option>
        ))}
      </select>
    </Field>
  );
}

function Day({ name, title, value, error }: InputProps): ReactNode {
  return (
    <Field id={name} label={title} error={error}>
      <input
        id={name}
        name={name}
        type="date"
        defaultValue={value?.slice(0, 10)}
        {...describing(name, { error })}
      />
    </Field>
  );
}

const chipTitles: Readonly<Record<string, string>> = {
  id: 'Call',
  payer: 'Payer',
  transaction: 'Transaction',
  operation: 'Operation',
  state: 'State',
  network: 'Network',
  rail: 'Rail',
  from: 'From',
  to: 'Before',
};

/** The filters that are on. Each leads to the list without it. */
export function FilterChips({ query }: { query: Query }): ReactNode {
  const { cursor: _, limit: __, ...filters } = query;
  const shown = Object.entries(filters).filter(([name]) => Object.hasOwn(chipTitles, name));
  if (shown.length === 0) return <p className="quiet">All calls, newest first</p>;
  return (
    <ul className="chips" aria-label="Filters">
      {shown.map(([name, value]) => {
        const { [name]: ___, ...others } = filters;
        const words = `${chipTitles[name]}: ${valueWords(name, value)}`;
        return (
          <li key={name}>
            <a
              className="button chip"
              href={hrefOf(others)}
              aria-label={`Remove filter ${words}`}
              title={value}
            >
              {words} <span aria-hidden="true">×</span>
            </a>
          </li>
        );
      })}
      {shown.length > 1 ? (
        <li>
          <a className="button tertiary" href="/operator/calls">
            Clear all
          </a>
        </li>
      ) : null}
    </ul>
  );
}

function valueWords(name: string, value: string): string {
  if (name === 'network') return networkLabel(value);
  if (name === 'state') return stateWords(value);
  return value.length > 24 ? `${value.slice(0, 8)}…${value.slice(-6)}` : value;
}
