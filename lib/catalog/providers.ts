import type { ErrorCode } from '@/lib/catalog/errors/codes';

/** Who serves a search or a page: a third party, or our own page reader. */
export type ProviderName = 'exa' | 'firecrawl' | 'serper' | 'searxng' | 'reader' | 'duffel';

/** The errors of a call that is forwarded to a third party, in addition to those of every paid call. */
export const forwardedErrors: readonly ErrorCode[] = [
  'invalid_input',
  'body_too_large',
  'upstream_rejected',
  'upstream_failed',
  'provider_unconfigured',
  'provider_unavailable',
];
