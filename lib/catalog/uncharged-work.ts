/**
 * The kinds of work that we do before a call is charged: rendering documents and reading pages, in milliseconds of a
 * browser; and look-ups at a provider, each one.
 */
export type UnchargedWork = 'browser' | 'lookup';

/** How much of it we do without being paid, by the hour. */
interface WorkBudget {
  /** For one payer. */
  readonly payer: number;
  /** For all payers together that were never charged and come from one address. */
  readonly address: number;
  /** What a call that is charged gives its payer back. */
  readonly returned: number;
}

/** A document has 15 s at most: four of the worst in an hour, and one more for each call that is charged. */
export const unchargedWorkBudgets: Readonly<Record<UnchargedWork, WorkBudget>> = {
  browser: { payer: 60_000, address: 600_000, returned: 15_000 },
  lookup: { payer: 60, address: 600, returned: 10 },
};
