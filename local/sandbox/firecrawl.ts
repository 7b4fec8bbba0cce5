import { z } from 'zod';
import { askedFailure, type Reply, type SandboxProvider } from './provider';

/** Firecrawl v2, as far as it is asked: scrape and search. It refuses what it does not know, as the real one does. */

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

/** `sandbox-fails-<name>`: every failure that Firecrawl documents, by the words behind the dash. */
export const firecrawlFailures: Readonly<Record<string, Reply>> = {
  dns: failure(200, 'SCRAPE_DNS_RESOLUTION_ERROR'),
  'no-success': failure(200),
  'no-data': { status: 200, body: { success: true } },
  'bad-request': failure(400, 'BAD_REQUEST'),
  'invalid-body': failure(400),
  key: failure(401),
  credits: failure(402),
  'unsupported-site': failure(403, 'UNSUPPORTED_SITE'),
  'unsafe-domain': failure(403, 'unsafe_domain_blocked'),
  forbidden: failure(403),
  'not-found': failure(404),
  timeout: failure(408, 'SCRAPE_TIMEOUT'),
  queue: { ...failure(408, 'CONCURRENCY_QUEUE_TIMEOUT'), headers: { 'retry-after': '1' } },
  conflict: failure(409),
  'too-large': failure(413),
  unprocessable: failure(422),
  'rate-limit': { ...failure(429), headers: { 'retry-after': '1' } },
  engines: failure(500, 'SCRAPE_ALL_ENGINES_FAILED'),
  unknown: failure(500, 'UNKNOWN_ERROR'),
  gateway: failure(502),
  unavailable: failure(503),
  'gateway-timeout': failure(504),
};

/** Firecrawl: scrape and search. */
export const firecrawl: SandboxProvider = (asked) => {
  if (asked.headers.authorization !== 'Bearer sandbox_firecrawl') return failure(401);
  const isScrape = asked.path === '/v2/scrape';
  if (asked.method !== 'POST' || !(isScrape || asked.path === '/v2/search')) return failure(404);
  const failing = askedFailure(asked, firecrawlFailures);
  if (failing) return failing;
  const schema = isScrape ? scrapeBody : searchBody;
  const parsed = schema.safeParse(asked.body);
  if (!parsed.success) return failure(400, 'BAD_REQUEST');
  return isScrape ? scrape(scrapeBody.parse(asked.body)) : search(searchBody.parse(asked.body));
};

function scrape({ url, formats = ['markdown'] }: z.output<typeof scrapeBody>): Reply {
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
    // A page that fails by itself is a success here: its metadata says so.
    statusCode: url.includes('sandbox-page-404') ? 404 : 200,
    contentType: 'text/html',
    creditsUsed: 1,
  };
  const asked = Object.fromEntries(formats.map((name) => [name, contents[name]]));
  return { status: 200, body: { success: true, data: { ...asked, metadata } } };
}

function search({ query, limit = 10, scrapeOptions: scraped }: z.output<typeof searchBody>): Reply {
  const web = Array.from({ length: query.includes('sandbox-nothing') ? 0 : limit }, (_, index) => ({
    url: `https://example.com/found-${index + 1}`,
    title: `${query} (${index + 1})`,
    description: 'A result from the sandbox.',
    position: index + 1,
    ...(scraped ? { markdown: `# Found ${index + 1}`, metadata: { statusCode: 200 } } : {}),
  }));
  return { status: 200, body: { success: true, data: { web }, id: 'sandbox', creditsUsed: 2 } };
}

/** Its words are for us alone; whoever sees them at the other end of a call has found a leak. */
function failure(status: number, code?: string) {
  return { status, body: { success: false, error: 'A secret of the sandbox.', code } };
}
