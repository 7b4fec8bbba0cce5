import type { ReactNode } from 'react';
import { Field } from '@/app/_page/field';

/** Leads to a call by its ID, and to the calls of a payer or a transaction. */
export function SearchForm(): ReactNode {
  return (
    <form className="filters single" method="get" action="/operator/calls">
      <Field id="search" label="Call, payer or transaction">
        <input id="search" name="search" autoComplete="off" spellCheck={false} />
      </Field>
      <button type="submit">Find</button>
    </form>
  );
}
