import type { ErrorCode } from './errors';

/** Who does the work behind an operation that is not all ours: third parties, and our own reader of pages. */
export type ProviderName = 'exa' | 'firecrawl' | 'serper' | 'searxng' | 'reader' | 'duffel';

/** SPEC section 7: what a call answers that a third party does once it is paid for, beside what every paid call does. */
export const forwardedErrors: readonly ErrorCode[] = [
  'invalid_input',
  'body_too_large',
  'upstream_rejected',
  'upstream_failed',
  'provider_unconfigured',
  'provider_unavailable',
];
