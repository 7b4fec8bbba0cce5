import { createHash } from 'node:crypto';
import { z } from 'zod';
import {
  findRequestedFailure,
  type ProviderRequest,
  type ProviderResponse,
  type SandboxProvider,
} from './provider';

/** The part of Exa that the service uses: search, contents, findSimilar, answer. */

const sections = z.array(z.enum(['header', 'navigation', 'banner', 'body', 'sidebar', 'footer', 'metadata']));
const contents = {
  text: z
    .union([
      z.boolean(),
      z
        .strictObject({
          maxCharacters: count(10_000),
          includeHtmlTags: z.boolean(),
          verbosity: z.enum(['compact', 'standard', 'full']),
          includeSections: sections,
          excludeSections: sections,
        })
        .partial(),
    ])
    .nullish(),
  highlights: z
    .union([
      z.boolean(),
      z
        .strictObject({
          query: z.string(),
          maxCharacters: count(10_000),
          numSentences: count(100),
          highlightsPerUrl: count(100),
        })
        .partial(),
    ])
    .nullish(),
  summary: z
    .union([z.boolean(), z.strictObject({ query: z.string(), schema: z.looseObject({}) }).partial()])
    .nullish(),
  maxAgeHours: z.number().int().min(-1).max(720).nullish(),
  livecrawl: z.enum(['never', 'always', 'fallback', 'preferred']).nullish(),
  livecrawlTimeout: count(90_000).nullish(),
  subpages: z.number().int().min(0).max(100).nullish(),
  subpageTarget: z.union([z.string(), z.array(z.string())]).nullish(),
  extras: z
    .strictObject({
      links: z.number(),
      imageLinks: z.number(),
      richLinks: z.number(),
      codeBlocks: z.number(),
    })
    .partial()
    .nullish(),
  filterEmptyResults: z.boolean().nullish(),
  context: z.union([z.boolean(), z.looseObject({})]).nullish(),
};
const filters = {
  numResults: count(100).nullish(),
  category: z
    .enum(['company', 'publication', 'news', 'personal site', 'financial report', 'people'])
    .nullish(),
  includeDomains: z.array(z.string()).max(1200).nullish(),
  excludeDomains: z.array(z.string()).max(1200).nullish(),
  startPublishedDate: z.string().nullish(),
  endPublishedDate: z.string().nullish(),
  // Two that are accepted and ignored.
  startCrawlDate: z.string().nullish(),
  endCrawlDate: z.string().nullish(),
  includeText: z.array(z.string()).max(1).nullish(),
  excludeText: z.array(z.string()).max(1).nullish(),
  contents: z.strictObject(contents).nullish(),
};
const outputSchema = z.looseObject({}).nullish();
const bodies = {
  '/search': z.strictObject({
    query: z.string().min(1),
    type: z.enum(['instant', 'fast', 'auto', 'lite', 'deep-lite', 'deep', 'deep-reasoning']).nullish(),
    userLocation: z.string().length(2).nullish(),
    moderation: z.boolean().nullish(),
    additionalQueries: z.array(z.string()).max(10).nullish(),
    systemPrompt: z.string().nullish(),
    outputSchema,
    stream: z.boolean().nullish(),
    ...filters,
  }),
  '/contents': z.strictObject({ urls: z.array(z.string().min(1).max(2048)).min(1).max(100), ...contents }),
  '/findSimilar': z.strictObject({
    url: z.string().min(3),
    excludeSourceDomain: z.boolean().nullish(),
    ...filters,
  }),
  '/answer': z.strictObject({
    query: z.string().min(1),
    text: z.boolean().nullish(),
    stream: z.literal(false).nullish(),
    model: z.enum(['exa', 'exa-pro', 'exa-research', 'exa-fast']).nullish(),
    systemPrompt: z.string().nullish(),
    userLocation: z.string().length(2).nullish(),
    outputSchema,
  }),
};
type Contents = Partial<Pick<z.output<(typeof bodies)['/contents']>, 'text' | 'highlights' | 'summary'>>;

/** `sandbox-fails-<name>`: every failure that Exa documents, by name. */
export const exaFailures: Readonly<Record<string, ProviderResponse>> = {
  'invalid-request': failure(400, 'INVALID_REQUEST'),
  'invalid-body': failure(400, 'INVALID_REQUEST_BODY'),
  'no-content': failure(400, 'NO_CONTENT_FOUND'),
  'publication-filter': failure(400, 'UNSUPPORTED_PUBLICATION_INCLUDE_FILTER'),
  'nested-error': {
    status: 400,
    body: { error: { type: 'invalid_request', code: 'INVALID_URLS', message: 'A secret of the sandbox.' } },
  },
  key: failure(401, 'INVALID_API_KEY'),
  credits: failure(402, 'NO_MORE_CREDITS'),
  budget: failure(402, 'API_KEY_BUDGET_EXCEEDED'),
  feature: failure(403, 'FEATURE_DISABLED'),
  prohibited: failure(403, 'PROHIBITED_CONTENT'),
  'not-found': failure(404),
  retired: failure(410, 'FIND_SIMILAR_RETIRED'),
  conflict: failure(409),
  document: failure(422, 'FETCH_DOCUMENT_ERROR'),
  'rate-limit': { status: 429, body: { error: 'Too many.' }, headers: { 'retry-after': '1' } },
  default: failure(500, 'DEFAULT_ERROR'),
  unable: failure(501, 'UNABLE_TO_GENERATE_RESPONSE'),
  gateway: { status: 502, body: 'not an object' },
  overloaded: failure(503, 'SERVICE_OVERLOADED'),
  timeout: failure(504),
};

/** Pages that cannot be read: for `https://sandbox-page-not-found.example.com/` the response is 200 and contains the tag. */
const pageTags: Readonly<Record<string, { tag: string; httpStatusCode: number | null }>> = {
  'not-found': { tag: 'CRAWL_NOT_FOUND', httpStatusCode: 404 },
  forbidden: { tag: 'SOURCE_NOT_AVAILABLE', httpStatusCode: 403 },
  'http-410': { tag: 'CRAWL_HTTP_410', httpStatusCode: 410 },
  unsupported: { tag: 'UNSUPPORTED_URL', httpStatusCode: null },
  timeout: { tag: 'CRAWL_TIMEOUT', httpStatusCode: 504 },
  'live-timeout': { tag: 'CRAWL_LIVECRAWL_TIMEOUT', httpStatusCode: 504 },
  unknown: { tag: 'CRAWL_UNKNOWN_ERROR', httpStatusCode: 500 },
};

export const exa: SandboxProvider = (request) => {
  if (request.headers['x-api-key'] !== 'sandbox_exa') return failure(401, 'INVALID_API_KEY');
  const path = request.path as keyof typeof bodies;
  if (request.method !== 'POST' || !Object.hasOwn(bodies, path)) return failure(404);
  const failing = findRequestedFailure(request, exaFailures);
  if (failing) return failing;
  if (path === '/findSimilar' && JSON.stringify(request.body).includes('sandbox-retired'))
    return failure(410, 'FIND_SIMILAR_RETIRED');
  const parsed = bodies[path].safeParse(request.body);
  if (!parsed.success) return failure(400, 'INVALID_REQUEST_BODY');
  const contradiction = contradictionIn(parsed.data);
  if (contradiction) return failure(400, contradiction);
  return { status: 200, body: { requestId: requestId(request), ...answers[path](request.body as never) } };
};

/** What Exa refuses in combination. Its collections of people and companies have no domains, that of publications few. */
function contradictionIn({ category, ...body }: Record<string, unknown>): string | undefined {
  const refused = ['includeDomains', 'excludeDomains', 'startPublishedDate', 'endPublishedDate'];
  const isCollection = category === 'people' || category === 'company';
  if (isCollection && refused.some((name) => body[name] !== undefined && body[name] !== null))
    return 'INVALID_REQUEST';
  const isPublication = category === 'publication' && Array.isArray(body.includeDomains);
  return isPublication ? 'UNSUPPORTED_PUBLICATION_INCLUDE_FILTER' : undefined;
}

const answers = {
  '/search': (body: z.output<(typeof bodies)['/search']>) => searchResults(body.query, body),
  '/findSimilar': (body: z.output<(typeof bodies)['/findSimilar']>) =>
    searchResults(`like ${body.url}`, body),
  '/contents': ({ urls, ...options }: z.output<(typeof bodies)['/contents']>) => {
    const outcomes = urls.map((url) => ({
      url,
      error: pageTags[/sandbox-page-([a-z0-9-]+)/.exec(url)?.[1] ?? ''],
    }));
    const isPlain = !options.text && !options.highlights && !options.summary;
    return {
      results: outcomes
        .filter(({ error }) => !error)
        .map(({ url }) => page(url, 'A page', isPlain ? { text: true } : options)),
      statuses: outcomes.map(({ url, error }) =>
        error ? { id: url, status: 'error', error } : { id: url, status: wordFor(url), source: 'cached' },
      ),
      costDollars: { total: urls.length / 1000 },
    };
  },
  '/answer': ({ query, text }: z.output<(typeof bodies)['/answer']>) => ({
    answer: query.includes('sandbox-empty') ? '' : `Sandbox answer to: ${query}`,
    citations: [page('https://archive.example.com/1', 'A source', { text })],
    costDollars: { total: 5 / 1000 },
  }),
};

/** Exa adds words of its own. */
const wordFor = (url: string) => (url.includes('sandbox-page-partial') ? 'partial' : 'success');

function searchResults(
  title: string,
  { numResults, contents: options }: { numResults?: number | null; contents?: Contents | null },
) {
  const length = title.includes('sandbox-nothing') ? 0 : (numResults ?? 10);
  const results = Array.from({ length }, (_, index) =>
    page(`https://example.com/page-${index + 1}`, `${title} (${index + 1})`, options ?? {}),
  );
  return { results, costDollars: { total: 0.007 } };
}

function page(url: string, title: string, { text, highlights, summary }: Contents) {
  return {
    id: url,
    url,
    title,
    publishedDate: '2026-09-14T08:00:00.000Z',
    author: null,
    ...(text ? { text: `Text of ${url}, from the sandbox.` } : {}),
    ...(highlights ? { highlights: ['A passage from the sandbox.'] } : {}),
    ...(summary ? { summary: 'A summary from the sandbox.' } : {}),
  };
}

function count(max: number) {
  return z.number().int().min(1).max(max);
}

/** Callers of the service must never see a provider's messages. */
function failure(status: number, tag?: string): ProviderResponse {
  return { status, body: { requestId: '9c1d7b', error: 'A secret of the sandbox.', tag } };
}

function requestId({ path, body }: ProviderRequest): string {
  return createHash('sha256').update(path).update(JSON.stringify(body)).digest('hex').slice(0, 32);
}
