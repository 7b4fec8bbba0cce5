import { isIP } from 'node:net';
import { exhausted, readPage } from './firecrawl-pages';
import { type ScrapeRequest, type SearchRequest, scrapeBody, searchBody } from './firecrawl-requests';
import { findRequestedFailure, type ProviderResponse, type SandboxProvider } from './provider';

/**
 * The part of Firecrawl v2 that the service uses: scrape and search. It takes what Firecrawl's SDK sends and rejects unknown fields.
 */

/** `sandbox-fails-<name>`: every failure that Firecrawl documents, by name. */
export const firecrawlFailures: Readonly<Record<string, ProviderResponse>> = {
  dns: failure(200, 'SCRAPE_DNS_RESOLUTION_ERROR'),
  'no-success': failure(200),
  'no-data': { status: 200, body: { success: true } },
  'bad-request': failure(400, 'BAD_REQUEST'),
  'invalid-body': failure(400),
  key: failure(401),
  credits: failure(402),
  'unsupported-site': failure(403, 'UNSUPPORTED_SITE'),
  'unsafe-domain': failure(403, 'unsafe_domain_blocked'),
  // Sites that Firecrawl never reads have no code of their own.
  'blocked-site': blockedSite(),
  'blocked-url': blockedSite(
    'URL is blocked. We currently do not support scraping this site due to policy restrictions.',
  ),
  'blocked-media': blockedSite('Firecrawl currently does not support social media scraping.'),
  forbidden: failure(403),
  // A field that Firecrawl no longer has.
  'unknown-field': {
    status: 400,
    body: {
      success: false,
      error: 'Unrecognized key in body -- please review the v2 API documentation, a secret',
      details: [{ code: 'unrecognized_keys', keys: ['proxy'], path: [] }],
    },
  },
  'not-found': failure(404),
  timeout: failure(408, 'SCRAPE_TIMEOUT'),
  queue: { ...failure(408, 'CONCURRENCY_QUEUE_TIMEOUT'), headers: { 'retry-after': '1' } },
  conflict: failure(409),
  'too-large': failure(413),
  unprocessable: failure(422),
  'rate-limit': { ...failure(429), headers: { 'retry-after': '1' } },
  // Faults of the page, which come as the server's own.
  site: failure(500, 'SCRAPE_SITE_ERROR'),
  ssl: failure(500, 'SCRAPE_SSL_ERROR'),
  'unsupported-file': failure(500, 'SCRAPE_UNSUPPORTED_FILE_ERROR'),
  'pdf-guarded': failure(500, 'SCRAPE_PDF_ANTIBOT_ERROR'),
  'document-guarded': failure(500, 'SCRAPE_DOCUMENT_ANTIBOT_ERROR'),
  'pdf-scanned': failure(500, 'SCRAPE_PDF_OCR_REQUIRED'),
  'pdf-time': failure(500, 'SCRAPE_PDF_INSUFFICIENT_TIME_ERROR'),
  engines: failure(500, 'SCRAPE_ALL_ENGINES_FAILED'),
  unknown: failure(500, 'UNKNOWN_ERROR'),
  gateway: failure(502),
  unavailable: failure(503),
  'gateway-timeout': failure(504),
};

export const firecrawl: SandboxProvider = (request) => {
  if (request.headers.authorization !== 'Bearer sandbox_firecrawl') return failure(401);
  const isScrape = request.path === '/v2/scrape';
  if (request.method !== 'POST' || !(isScrape || request.path === '/v2/search')) return failure(404);
  const failing = findRequestedFailure(request, firecrawlFailures);
  if (failing) return failing;
  return isScrape ? scrape(scrapeBody.safeParse(request.body)) : search(searchBody.safeParse(request.body));
};

type Parsed<Body> = { success: true; data: Body } | { success: false; error: { issues: readonly object[] } };

function scrape(parsed: Parsed<ScrapeRequest>): ProviderResponse {
  if (!parsed.success) return refusal('Bad Request', parsed.error.issues, 'BAD_REQUEST');
  const { url } = parsed.data;
  if (!hasReachableHost(url)) {
    const issue = { code: 'custom', path: ['url'], message: 'URL must have a valid top-level domain' };
    return refusal('Bad Request', [issue], 'BAD_REQUEST');
  }
  if (isBlocked(url)) return blockedSite();
  const page = readPage(url, parsed.data);
  if ('code' in page) return { ...failure(page.status, page.code), afterMs: page.afterMs };
  return { status: 200, body: { success: true, data: page.data }, afterMs: page.afterMs };
}

/** Words in a query that decide about the pages that are found. Others find ordinary pages. */
const foundPages: Readonly<Record<string, readonly string[]>> = {
  'sandbox-finds-pdf': ['https://example.com/report.pdf'],
  'sandbox-finds-slow': ['https://sandbox-page-slow.example.com/'],
  'sandbox-finds-throttled': ['https://sandbox-page-throttled.example.com/'],
};

/** Every page is scraped, and the slowest one decides when the answer comes. Its time is that of `scrapeOptions` alone. */
function search(parsed: Parsed<SearchRequest>): ProviderResponse {
  if (!parsed.success) return refusal('Invalid request body', parsed.error.issues);
  const { query, limit = 10, scrapeOptions, sources = ['web'] } = parsed.data;
  // Engines that fail leave nothing, and no error either.
  if (query.includes('sandbox-engines-fail')) return found({});
  const special = Object.entries(foundPages).flatMap(([words, urls]) => (query.includes(words) ? urls : []));
  const ordinary = Array.from({ length: limit }, (_, index) => `https://example.com/found-${index + 1}`);
  const urls = query.includes('sandbox-nothing') ? [] : [...special, ...ordinary].slice(0, limit);
  const pages = urls.map((url) => (scrapeOptions ? readPage(url, scrapeOptions) : null));
  const results = urls.map((url, index) => ({
    url,
    title: `${query} (${index + 1})`,
    description: 'A result from the sandbox.',
    position: index + 1,
    ...readAs(url, pages[index] ?? null),
  }));
  const kinds = sources.map((source) => (typeof source === 'string' ? source : source.type));
  const data = Object.fromEntries(kinds.map((kind) => [kind, results]));
  const afterMs = Math.max(0, ...pages.map((page) => page?.afterMs ?? 0));
  return { ...found(data), afterMs };
}

function found(data: object) {
  return { status: 200, body: { success: true, data, id: 'sandbox', creditsUsed: 2 } };
}

/** What a result has of its page. One that could not be read has its error in its metadata. */
function readAs(url: string, page: ReturnType<typeof readPage> | null): object {
  if (page === null) return {};
  if ('data' in page) return page.data;
  const error = page.code === 'SCRAPE_TIMEOUT' ? 'A secret: the scrape timed out.' : exhausted;
  return { metadata: { sourceURL: url, statusCode: 500, error, proxyUsed: 'basic' } };
}

/** Sites that Firecrawl never reads. The real list is longer. */
function isBlocked(url: string): boolean {
  return /(^|\.)(linkedin|reddit)\.com$/.test(new URL(url).hostname);
}

/** A middleware refuses them before anything else, without a code. */
function blockedSite(
  told = 'We apologize for the inconvenience but we do not support this site. Reach out to us.',
) {
  return { status: 403, body: { success: false, error: `A secret: ${told}` } };
}

/** An address, or a name that ends with letters or digits of ASCII, without a final dot, and is no file. */
function hasReachableHost(url: string): boolean {
  const host = /^https?:\/\/([^/?#:]+)/i.exec(url)?.[1] ?? '';
  if (isIP(host) !== 0) return true;
  return /\.([a-z0-9]{2,}|xn--[a-z0-9-]+)$/i.test(host) && !/\.(jpe?g|png|gif|pdf|html?)$/i.test(host);
}

function refusal(error: string, details: readonly object[], code?: string) {
  return { status: 400, body: { success: false, error, details, code } };
}

/** Callers of the service must never see a provider's messages. */
function failure(status: number, code?: string) {
  return { status, body: { success: false, error: 'A secret of the sandbox.', code } };
}
