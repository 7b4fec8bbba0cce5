import { z } from 'zod';
import { noParams, operation } from './operation';
import { forwardedErrors } from './providers';
import { publicUrl } from './public-url';
import { country, hostnames, readerErrors, researchCodes, researchLimits, tbs } from './research';

/** The scraping provider's own field names, limited to what a flat price covers. */

/** Milliseconds. */
const timeout = z
  .number()
  .int()
  .min(1_000)
  .max(60_000)
  .default(30_000)
  .meta({ description: 'Milliseconds to wait for the page.', examples: [15_000] });

const onlyMainContent = z.boolean().default(true).describe('Leave out navigation, header and footer.');

const formats = ['markdown', 'rawHtml', 'links', 'summary'] as const;

const shared = {
  category: 'proxy',
  method: 'POST',
  params: noParams,
  takesBody: true,
  errors: forwardedErrors,
  codes: researchCodes,
} as const;

export const scrape = operation({
  ...shared,
  id: 'crawl.scrape',
  priceName: 'crawlScrape',
  paths: { x402: '/v1/crawl/scrape', mpp: '/v1/mpp/crawl/scrape', account: '/v1/account/crawl/scrape' },
  price: '0.015',
  title: 'Render a web page',
  summary:
    'Read one web page as Markdown, rendered with JavaScript. Optionally returns raw HTML, links and a summary.',
  providers: ['firecrawl', 'reader'],
  errors: [...forwardedErrors, ...readerErrors],
  body: z
    .strictObject({
      url: publicUrl,
      formats: z
        .array(z.enum(formats))
        .min(1)
        .refine((list) => new Set(list).size === list.length, {
          message: 'must not contain an item twice',
        })
        .meta({ uniqueItems: true })
        .default(['markdown'])
        .meta({ description: 'What to return.', examples: [['markdown', 'links']] }),
      onlyMainContent,
      waitFor: z
        .number()
        .int()
        .min(0)
        .max(30_000)
        .default(0)
        .meta({
          description: 'Milliseconds to wait for scripts.',
          examples: [2_000],
        }),
      mobile: z.boolean().default(false).describe('Read the page as a phone would.'),
      maxAge: z
        .number()
        .int()
        .min(0)
        .max(172_800_000)
        .optional()
        .meta({
          description: 'Oldest cached copy to use, in milliseconds; 0 always reads the page now.',
          examples: [3_600_000],
        }),
      timeout,
    })
    .refine(({ waitFor, timeout: limit }) => waitFor <= limit / 2, {
      path: ['waitFor'],
      message: 'must be at most half of timeout',
    }),
  output: z
    .looseObject({
      success: z.literal(true).describe('Whether it worked; a failure is an error response.'),
      data: z
        .looseObject({ metadata: z.looseObject({}).describe('Title, address and HTTP status of the page.') })
        .describe(
          `The page in each format of the request. Of a PDF, at least the first ${researchLimits.pdfPagesMax} pages.`,
        ),
    })
    .describe('data: markdown, rawHtml, links, summary as requested; metadata: title, url, statusCode.'),
  minimalBody: { url: 'https://docs.example.com/pricing' },
  example: {
    params: {},
    body: { url: 'https://docs.example.com/pricing', formats: ['markdown', 'links'] },
    output: {
      success: true,
      data: {
        markdown: '# Pricing\n\nThe starter plan is 9 EUR a month.',
        links: ['https://docs.example.com/contact'],
        metadata: { title: 'Pricing', url: 'https://docs.example.com/pricing', statusCode: 200 },
      },
    },
  },
});

export const search = operation({
  ...shared,
  id: 'crawl.search',
  priceName: 'crawlSearch',
  paths: { x402: '/v1/crawl/search', mpp: '/v1/mpp/crawl/search', account: '/v1/account/crawl/search' },
  price: '0.03',
  title: 'Search and read pages',
  summary: `Search the web and get up to ${researchLimits.crawlResultsMax} results with title and description, and optionally each page as Markdown.`,
  providers: ['firecrawl', 'searxng'],
  body: z
    .strictObject({
      query: z
        .string()
        .trim()
        .min(1)
        .max(500)
        .meta({ description: 'What to search for.', examples: ['logical replication lag'] }),
      limit: z
        .number()
        .int()
        .min(1)
        .max(researchLimits.crawlResultsMax)
        .default(10)
        .meta({ description: 'How many results to return.', examples: [5] }),
      tbs: tbs.optional(),
      location: z
        .string()
        .min(1)
        .max(100)
        .optional()
        .meta({ description: 'Place to search from.', examples: ['Lyon,France'] }),
      country: country.optional(),
      lang: z
        .string()
        .regex(/^[a-z]{2}$/, { error: 'must be a two-letter language code such as fr' })
        .optional()
        .meta({ description: 'Language of the results, ISO 639-1.', examples: ['fr'] }),
      includeDomains: hostnames.optional().describe('Only pages from these hosts.'),
      excludeDomains: hostnames.optional().describe('No pages from these hosts.'),
      scrapeOptions: z
        .strictObject({
          formats: z
            .array(z.literal('markdown'))
            .length(1)
            .meta({ description: 'Markdown is the only format.', examples: [['markdown']] }),
          onlyMainContent,
        })
        .optional()
        .describe('Return the page of each result as Markdown.'),
      timeout,
    })
    .refine(({ includeDomains, excludeDomains }) => !includeDomains || !excludeDomains, {
      path: ['excludeDomains'],
      message: 'must not be used together with includeDomains',
    }),
  output: z
    .looseObject({
      success: z.literal(true).describe('Whether it worked; a failure is an error response.'),
      data: z
        .looseObject({
          web: z
            .array(z.looseObject({ url: z.string().describe('Address of the page.') }))
            .optional()
            .describe('The pages found, best match first; empty if there are none.'),
        })
        .describe('What was found.'),
    })
    .describe('data.web: url, title, description, and markdown if requested.'),
  minimalBody: { query: 'logical replication lag' },
  example: {
    params: {},
    body: { query: 'logical replication lag', limit: 2, scrapeOptions: { formats: ['markdown'] } },
    output: {
      success: true,
      data: {
        web: [
          {
            url: 'https://db.example.com/lag',
            title: 'Measuring lag',
            description: 'Compare the two positions.',
            markdown: '# Measuring lag',
          },
        ],
      },
    },
  },
});

export const paid = [scrape, search];
