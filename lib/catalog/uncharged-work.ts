/**
 * Work done before a call is charged: `browser` renders documents and reads pages, counted in milliseconds of browser
 * time; `lookup` asks a provider, counted in requests.
 */
export type UnchargedWork = 'browser' | 'lookup';

/** The names of the limits in the header `RateLimit-Policy`, and how much work counts as one there. */
export const unchargedWorkLimits = {
  browser: { name: 'uncharged-browser-seconds', per: 1_000 },
  lookup: { name: 'uncharged-lookups', per: 1 },
} as const satisfies Record<UnchargedWork, { name: string; per: number }>;

/** How much uncharged work is allowed per hour. */
interface WorkBudget {
  /** For one payer. */
  readonly payer: number;
  /** For all payers at one client address together that were never charged. */
  readonly address: number;
  /** What a charged call gives its payer back. */
  readonly returned: number;
}

/** A document takes at most 15 s, so this allows four of the slowest per hour, and one more for each charged call. */
export const unchargedWorkBudgets: Readonly<Record<UnchargedWork, WorkBudget>> = {
  browser: { payer: 60_000, address: 600_000, returned: 15_000 },
  lookup: { payer: 60, address: 600, returned: 10 },
};
