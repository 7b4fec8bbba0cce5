type Provider = 'exa' | 'firecrawl' | 'serper';

/** A documented failure of a provider, and what the caller is told: a code, and the reason of a rejection. */
export interface Failing {
  readonly provider: Provider;
  readonly route: string;
  /** `sandbox-fails-<name>` of local/sandbox, or a page that cannot be read. */
  readonly name: string;
  readonly code: 'upstream_rejected' | 'upstream_failed';
  readonly reason?: string;
}

const rejected = (provider: Provider, route: string, name: string, reason: string): Failing => ({
  ...{ provider, route, name, reason },
  code: 'upstream_rejected',
});
const failed = (provider: Provider, route: string, name: string, reason = 'provider_error'): Failing => ({
  ...{ provider, route, name, reason },
  code: 'upstream_failed',
});

/** Failures after which a provider is still called as before. */
export const passing: readonly Failing[] = [
  rejected('exa', '/neural/search', 'invalid-request', 'invalid_request'),
  rejected('exa', '/neural/search', 'invalid-body', 'invalid_request_body'),
  rejected('exa', '/neural/search', 'publication-filter', 'unsupported_publication_include_filter'),
  rejected('exa', '/neural/search', 'prohibited', 'prohibited_content'),
  rejected('exa', '/neural/find-similar', 'nested-error', 'invalid_urls'),
  rejected('exa', '/neural/find-similar', 'document', 'fetch_document_error'),
  rejected('exa', '/neural/contents', 'no-content', 'no_content_found'),
  rejected('exa', '/neural/contents', 'page not-found', 'no_page_could_be_read'),
  rejected('exa', '/neural/contents', 'page forbidden', 'no_page_could_be_read'),
  rejected('exa', '/neural/contents', 'page http-410', 'no_page_could_be_read'),
  rejected('exa', '/neural/contents', 'page unsupported', 'no_page_could_be_read'),
  failed('exa', '/neural/contents', 'page timeout', 'unusable_response'),
  failed('exa', '/neural/contents', 'page live-timeout', 'unusable_response'),
  failed('exa', '/neural/contents', 'page unknown', 'unusable_response'),
  failed('exa', '/neural/answer', 'unable'),
  failed('exa', '/neural/answer', 'empty', 'unusable_response'),
  failed('exa', '/neural/search', 'conflict'),
  failed('exa', '/neural/search', 'default'),
  failed('exa', '/neural/search', 'gateway'),
  failed('exa', '/neural/search', 'overloaded'),
  failed('exa', '/neural/search', 'timeout'),
  ...['drop', 'cut'].map((name) => failed('exa', '/neural/search', name, 'connection_lost')),
  ...['text', 'array', 'flood', 'redirect'].map((name) =>
    failed('exa', '/neural/search', name, 'unusable_response'),
  ),
  rejected('firecrawl', '/crawl/scrape', 'dns', 'scrape_dns_resolution_error'),
  rejected('firecrawl', '/crawl/scrape', 'unsupported-site', 'unsupported_site'),
  rejected('firecrawl', '/crawl/scrape', 'blocked-site', 'unsupported_site'),
  rejected('firecrawl', '/crawl/scrape', 'blocked-url', 'unsupported_site'),
  rejected('firecrawl', '/crawl/scrape', 'blocked-media', 'unsupported_site'),
  rejected('firecrawl', '/crawl/scrape', 'site', 'scrape_site_error'),
  rejected('firecrawl', '/crawl/scrape', 'ssl', 'scrape_ssl_error'),
  rejected('firecrawl', '/crawl/scrape', 'unsupported-file', 'scrape_unsupported_file_error'),
  rejected('firecrawl', '/crawl/scrape', 'pdf-guarded', 'scrape_pdf_antibot_error'),
  rejected('firecrawl', '/crawl/scrape', 'document-guarded', 'scrape_document_antibot_error'),
  rejected('firecrawl', '/crawl/scrape', 'pdf-scanned', 'scrape_pdf_ocr_required'),
  rejected('firecrawl', '/crawl/scrape', 'pdf-time', 'scrape_pdf_insufficient_time_error'),
  rejected('firecrawl', '/crawl/scrape', 'unsafe-domain', 'unsafe_domain_blocked'),
  rejected('firecrawl', '/crawl/search', 'bad-request', 'bad_request'),
  rejected('firecrawl', '/crawl/search', 'invalid-body', 'invalid_request'),
  rejected('firecrawl', '/crawl/scrape', 'conflict', 'invalid_request'),
  rejected('firecrawl', '/crawl/scrape', 'too-large', 'invalid_request'),
  rejected('firecrawl', '/crawl/scrape', 'unprocessable', 'invalid_request'),
  failed('firecrawl', '/crawl/scrape', 'no-success', 'unusable_response'),
  failed('firecrawl', '/crawl/search', 'no-data', 'unusable_response'),
  failed('firecrawl', '/crawl/scrape', 'timeout'),
  failed('firecrawl', '/crawl/scrape', 'engines'),
  failed('firecrawl', '/crawl/search', 'unknown'),
  failed('firecrawl', '/crawl/scrape', 'gateway'),
  failed('firecrawl', '/crawl/scrape', 'unavailable'),
  failed('firecrawl', '/crawl/scrape', 'gateway-timeout'),
  // Waits for the time that the caller allows plus our grace period.
  failed('firecrawl', '/crawl/scrape', 'hang', 'provider_timeout'),
  rejected('serper', '/serp/search', 'bad-request', 'invalid_request'),
  failed('serper', '/serp/images', 'pattern'),
  failed('serper', '/serp/news', 'told-inside'),
  failed('serper', '/serp/shopping', 'internal'),
  failed('serper', '/serp/search', 'unavailable'),
];

/** Failures that concern our account, in rounds. For a while, nothing is offered that would fail the same way. */
export const closing: readonly (readonly Failing[])[] = [
  [
    failed('exa', '/neural/search', 'key'),
    failed('firecrawl', '/crawl/scrape', 'key'),
    failed('serper', '/serp/news', 'key'),
  ],
  [
    failed('exa', '/neural/answer', 'credits'),
    failed('firecrawl', '/crawl/search', 'credits'),
    failed('serper', '/serp/search', 'credits'),
  ],
  [failed('exa', '/neural/find-similar', 'budget'), failed('serper', '/serp/images', 'credits-429')],
];

/** Failures that every call of the operation would have, and no call of the provider's others. */
export const withdrawing: readonly Failing[] = [
  failed('exa', '/neural/search', 'feature'),
  failed('exa', '/neural/search', 'not-found'),
  failed('exa', '/neural/answer', 'retired'),
  failed('firecrawl', '/crawl/scrape', 'forbidden'),
  failed('firecrawl', '/crawl/scrape', 'not-found'),
  failed('firecrawl', '/crawl/scrape', 'unknown-field'),
];

/** The same, but for the one second that the provider asks for. */
export const limiting: readonly Failing[] = [
  failed('exa', '/neural/search', 'rate-limit'),
  failed('firecrawl', '/crawl/scrape', 'rate-limit'),
  failed('serper', '/serp/images', 'rate-limit'),
  failed('firecrawl', '/crawl/scrape', 'queue'),
];

/** A body for a route, with the words that cause the failure (`none`: no failure) and a mark by which the request can be found. */
export function bodyFor(route: string, name: string, mark: string): object {
  const words = wordsFor(name);
  const url = `https://${words}.example.com/${mark}`;
  switch (route) {
    case '/neural/contents':
      return { urls: [url] };
    case '/neural/find-similar':
      return { url };
    case '/crawl/scrape':
      return { url, timeout: 1_000 };
    case '/neural/answer':
      return { query: name === 'empty' ? `sandbox-empty ${mark}` : `${words} ${mark}` };
    case '/neural/search':
    case '/crawl/search':
      return { query: `${words} ${mark}` };
    default:
      return { q: `${words} ${mark}` };
  }
}

function wordsFor(name: string): string {
  if (name === 'none') return 'sandbox';
  return name.startsWith('page ') ? `sandbox-page-${name.slice(5)}` : `sandbox-fails-${name}`;
}
