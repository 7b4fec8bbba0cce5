import type { ReactNode } from 'react';

export const queryLengthMax = 200;

interface SearchFormProps {
  /** The name of the form for screen readers. */
  readonly label: string;
  /** What was searched for. */
  readonly query?: string;
}

/** A search that works without a script. With one, a key opens a dialog that uses the same URL. */
export function SearchForm({ label, query }: SearchFormProps): ReactNode {
  return (
    <search aria-label={label}>
      <form className="docs-search" action="/docs/search">
        <input
          type="search"
          name="q"
          defaultValue={query}
          maxLength={queryLengthMax}
          aria-label="Search the documentation"
          placeholder="Search"
          autoComplete="off"
          required
        />
        <button type="submit" className="secondary">
          Search
        </button>
      </form>
    </search>
  );
}
