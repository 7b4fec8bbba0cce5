import { z } from 'zod';
import { findRequestedFailure, type ProviderResponse, type SandboxProvider } from './provider';

/** The part of Firecrawl v2 that the service uses: scrape and search. It rejects unknown fields, as the real one does. */

const format = z.enum(['markdown', 'html', 'rawHtml', 'links', 'images', 'summary']);
const parser = z.union([
  z.enum(['pdf', 'image']),
  z.strictObject({ type: z.literal('pdf'), maxPages: z.number().int().min(1).max(10_000).optional() }),
]);
const timeout = z.number().int().min(1_000).max(300_000).optional();
const scrapeOptions = {
  formats: z.array(format).optional(),
  onlyMainContent: z.boolean().optional(),
  waitFor: z.number().int().min(0).max(60_000).optional(),
  mobile: z.boolean().optional(),
  maxAge: z.number().int().min(0).optional(),
  parsers: z.array(parser).optional(),
  proxy: z.enum(['basic', 'enhanced', 'auto']).optional(),
  skipTlsVerification: z.boolean().optional(),
};
const scrapeBody = z.strictObject({ url: z.url(), timeout, ...scrapeOptions });
const searchBody = z.strictObject({
  query: z.string().min(1).max(500),
  limit: z.number().int().min(1).max(100).optional(),
  sources: z.array(z.enum(['web', 'news', 'images'])).optional(),
  tbs: z.string().optional(),
  location: z.string().optional(),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/)
    .optional(),
  lang: z.string().optional(),
  includeDomains: z.array(z.string()).optional(),
  excludeDomains: z.array(z.string()).optional(),
  timeout,
  ignoreInvalidURLs: z.boolean().optional(),
  scrapeOptions: z.strictObject(scrapeOptions).optional(),
});

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
  'blocked-site': {
    status: 403,
    body: { success: false, error: 'A secret: we do not support this site. Reach out to us.' },
  },
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
  site: failure(500, 'SCRAPE_SITE_ERROR'),
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
  const schema = isScrape ? scrapeBody : searchBody;
  const parsed = schema.safeParse(request.body);
  if (!parsed.success) return failure(400, 'BAD_REQUEST');
  return isScrape ? scrape(scrapeBody.parse(request.body)) : search(searchBody.parse(request.body));
};

function scrape({ url, formats = ['markdown'] }: z.output<typeof scrapeBody>): ProviderResponse {
  const contents = {
    markdown: `# A page\n\nMarkdown of ${url}, from the sandbox.`,
    html: '<h1>A page</h1>',
    rawHtml: '<!doctype html><title>A page</title><h1>A page</h1>',
    links: [`${url}#more`],
    images: [],
    summary: 'A summary from the sandbox.',
  };
  const metadata = {
    title: 'A page',
    sourceURL: url,
    url,
    // A page that answers with an error is still scraped: only its metadata shows the error.
    statusCode: url.includes('sandbox-page-404') ? 404 : 200,
    contentType: 'text/html',
    creditsUsed: 1,
  };
  const requested = Object.fromEntries(formats.map((name) => [name, contents[name]]));
  return { status: 200, body: { success: true, data: { ...requested, metadata } } };
}

function search({
  query,
  limit = 10,
  scrapeOptions: scraped,
}: z.output<typeof searchBody>): ProviderResponse {
  const web = Array.from({ length: query.includes('sandbox-nothing') ? 0 : limit }, (_, index) => ({
    url: `https://example.com/found-${index + 1}`,
    title: `${query} (${index + 1})`,
    description: 'A result from the sandbox.',
    position: index + 1,
    ...(scraped ? { markdown: `# Found ${index + 1}`, metadata: { statusCode: 200 } } : {}),
  }));
  return { status: 200, body: { success: true, data: { web }, id: 'sandbox', creditsUsed: 2 } };
}

/** Callers of the service must never see a provider's messages. */
function failure(status: number, code?: string) {
  return { status, body: { success: false, error: 'A secret of the sandbox.', code } };
}
