import type { ReactNode } from 'react';

export const queryLengthMax = 200;

interface SearchFormProps {
  /** The name of the form for screen readers. */
  readonly label: string;
  /** What was searched for. */
  readonly query?: string;
  /** Whether it has a button beside the field. */
  readonly hasButton?: boolean;
}

/** A search that works without a script, by Enter. With one, the field in the header opens a dialog that uses the same URL. */
export function SearchForm({ label, query, hasButton = false }: SearchFormProps): ReactNode {
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
        {hasButton ? <button type="submit">Search</button> : null}
      </form>
    </search>
  );
}
