import { z } from 'zod';

/**
 * The requests that Firecrawl v2 accepts, field by field, as its server and its SDK have them. It refuses fields that it does
 * not know.
 */

const names = [
  ...['markdown', 'html', 'rawHtml', 'links', 'images', 'summary', 'json', 'screenshot', 'branding'],
  ...['product', 'menu', 'changeTracking', 'attributes', 'question', 'highlights', 'query', 'audio', 'video'],
] as const;
const format = z.union([z.enum(names), z.looseObject({ type: z.enum(names) })]);
const parser = z.union([
  z.enum(['pdf', 'image']),
  z.strictObject({ type: z.literal('image') }),
  z.strictObject({
    type: z.literal('pdf'),
    mode: z.enum(['fast', 'auto', 'ocr']).optional(),
    maxPages: z.number().int().min(1).max(10_000).optional(),
  }),
]);
const timeout = z.number().int().min(1_000).max(300_000).optional();
const place = z.strictObject({ country: z.string().length(2), languages: z.array(z.string()) }).partial();

/** What says who sends a request. SDKs add it. */
const sender = { origin: z.string().optional(), integration: z.string().nullable().optional() };

const scrapeFields = {
  timeout,
  formats: z.array(format).optional(),
  onlyMainContent: z.boolean().optional(),
  onlyCleanContent: z.boolean().optional(),
  includeTags: z.array(z.string()).optional(),
  excludeTags: z.array(z.string()).optional(),
  headers: z.record(z.string(), z.string()).optional(),
  waitFor: z.number().int().min(0).max(60_000).optional(),
  mobile: z.boolean().optional(),
  maxAge: z.number().int().min(0).optional(),
  minAge: z.number().int().min(0).optional(),
  parsers: z.array(parser).optional(),
  actions: z
    .array(z.looseObject({ type: z.string() }))
    .max(50)
    .optional(),
  location: place.optional(),
  removeBase64Images: z.boolean().optional(),
  fastMode: z.boolean().optional(),
  blockAds: z.boolean().optional(),
  proxy: z.enum(['basic', 'enhanced', 'stealth', 'auto']).optional(),
  storeInCache: z.boolean().optional(),
  lockdown: z.boolean().optional(),
  skipTlsVerification: z.boolean().optional(),
};

export const scrapeBody = z
  .strictObject({ url: z.url(), ...scrapeFields, ...sender })
  .refine(({ waitFor = 0, timeout: limit = 60_000 }) => waitFor <= limit / 2);

/** Labels of letters, digits and hyphens, and a top-level domain of letters. */
const domain = z.string().regex(/^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/i, {
  error: 'Domain must be a valid hostname without protocol or path',
});
const source = z.enum(['web', 'news', 'images']);
const category = z.enum(['github', 'research', 'pdf', 'developer']);

export const searchBody = z
  .strictObject({
    query: z.string().min(1).max(500),
    limit: z.number().int().min(1).max(100).optional(),
    sources: z.array(z.union([source, z.looseObject({ type: source })])).optional(),
    categories: z.array(z.union([category, z.looseObject({ type: category })])).optional(),
    tbs: z.string().optional(),
    location: z.string().optional(),
    country: z.string().length(2).optional(),
    lang: z.string().optional(),
    includeDomains: z.array(domain).optional(),
    excludeDomains: z.array(domain).optional(),
    timeout,
    ignoreInvalidURLs: z.boolean().optional(),
    highlights: z.boolean().optional(),
    scrapeOptions: z.strictObject(scrapeFields).optional(),
    ...sender,
  })
  .refine(({ includeDomains, excludeDomains }) => !includeDomains || !excludeDomains);

export type ScrapeRequest = z.output<typeof scrapeBody>;
export type SearchRequest = z.output<typeof searchBody>;
export type PageRequest = Omit<ScrapeRequest, 'url'>;

/** The names of the formats of a request, which are strings or objects. */
export function formatNames({ formats = ['markdown'] }: PageRequest) {
  return formats.map((wanted) => (typeof wanted === 'string' ? wanted : wanted.type));
}

/** How many pages of a PDF are read; null if PDFs are not read. */
export function pdfPages({ parsers = ['pdf', 'image'] }: PageRequest): number | null {
  for (const one of parsers) {
    if (one === 'pdf') return Number.POSITIVE_INFINITY;
    if (typeof one === 'object' && one.type === 'pdf') return one.maxPages ?? Number.POSITIVE_INFINITY;
  }
  return null;
}

export function readsImages({ parsers = ['pdf', 'image'] }: PageRequest): boolean {
  return parsers.some((one) => one === 'image' || (typeof one === 'object' && one.type === 'image'));
}
