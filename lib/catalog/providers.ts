/** Who does the work behind an operation that is not all ours: third parties, and our own reader of pages. */
export type ProviderName = 'exa' | 'firecrawl' | 'serper' | 'searxng' | 'reader' | 'duffel';
