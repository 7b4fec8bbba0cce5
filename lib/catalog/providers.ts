/** Who does the work behind an operation that is not all ours: third parties, and our own reader of pages. */
export const providerNames = ['exa', 'firecrawl', 'serper', 'searxng', 'reader', 'duffel'] as const;

export type ProviderName = (typeof providerNames)[number];
