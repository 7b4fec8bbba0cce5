import type { ErrorCode } from '@/lib/errors/codes';

/** Who does the work behind an operation that is not all ours: third parties, and our own reader of pages. */
export type ProviderName = 'exa' | 'firecrawl' | 'serper' | 'searxng' | 'reader' | 'duffel';

/** The errors of a call that is forwarded to a third party after payment, beside those of every paid call. */
export const forwardedErrors: readonly ErrorCode[] = [
  'invalid_input',
  'body_too_large',
  'upstream_rejected',
  'upstream_failed',
  'provider_unconfigured',
  'provider_unavailable',
];
