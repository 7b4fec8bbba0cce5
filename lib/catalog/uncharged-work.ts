/**
 * Work that is done before a call is charged: `browser` is rendering documents and reading pages, in milliseconds of browser
 * time; `lookup` is a request to a provider, counted one by one.
 */
export type UnchargedWork = 'browser' | 'lookup';

/** How much work an hour may go uncharged. */
interface WorkBudget {
  /** For one payer. */
  readonly payer: number;
  /** For all payers together that were never charged and share a client address. */
  readonly address: number;
  /** What a charged call gives its payer back. */
  readonly returned: number;
}

/** A document takes at most 15 s: four of the slowest an hour, and one more for each charged call. */
export const unchargedWorkBudgets: Readonly<Record<UnchargedWork, WorkBudget>> = {
  browser: { payer: 60_000, address: 600_000, returned: 15_000 },
  lookup: { payer: 60, address: 600, returned: 10 },
};
