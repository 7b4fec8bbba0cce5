import { z } from 'zod';
import { noParams, operation } from './operation';
import { forwardedErrors } from './providers';
import { publicUrl } from './public-url';
import { country, domains, query, readerErrors, researchCodes, researchLimits } from './research';

/**
 * The neural-search provider's own field names, limited to what a flat price covers. What the provider would reject after
 * payment is rejected here, before payment.
 */

const characters = z
  .number()
  .int()
  .min(1)
  .max(researchLimits.charactersMax)
  .meta({ description: 'Maximum characters per page.', examples: [2000] });
const topic = query.describe('What to look for in the page. Default: the query of the call.');

const contentOptions = {
  text: z
    .union([
      z.boolean(),
      z.strictObject({
        maxCharacters: characters.optional(),
        includeHtmlTags: z.boolean().optional().describe('Keep HTML tags in the text.'),
      }),
    ])
    .optional()
    .describe('Return the text of each page.'),
  highlights: z
    .union([z.boolean(), z.strictObject({ query: topic.optional(), maxCharacters: characters.optional() })])
    .optional()
    .describe('Return the passages that answer the query.'),
  summary: z
    .union([z.boolean(), z.strictObject({ query: topic.optional() })])
    .optional()
    .describe('Return a summary of each page.'),
  maxAgeHours: z
    .number()
    .int()
    .min(-1)
    .max(720)
    .optional()
    .meta({
      description: 'Maximum age of a cached copy in hours; 0 always reads the page now, -1 never.',
      examples: [24],
    }),
};

/** The provider's current categories, and two older names that callers know. */
const category = z.enum([
  'company',
  'publication',
  'news',
  'personal site',
  'financial report',
  'people',
  'research paper',
  'github',
]);

const anyDate = z.union([z.iso.datetime({ offset: true }), z.iso.date()]);
/** Checked by a function: a pattern for calendar dates would make the challenge's header too large. */
const published = z
  .string()
  .max(40)
  .refine((text) => anyDate.safeParse(text).success, { message: 'must be an ISO 8601 date or date-time' })
  .meta({ examples: ['2026-09-01'] });

const filters = {
  includeDomains: domains.optional().describe('Only pages from these domains.'),
  excludeDomains: domains.optional().describe('No pages from these domains.'),
  startPublishedDate: published.optional().describe('Published on or after this ISO 8601 date.'),
  endPublishedDate: published.optional().describe('Published on or before this ISO 8601 date.'),
  category: category.optional().describe('Type of page.'),
  contents: z.strictObject(contentOptions).optional().describe('Contents to return with each result.'),
};

interface Filtered {
  readonly category?: string;
  readonly includeDomains?: readonly string[];
  readonly excludeDomains?: readonly string[];
  readonly startPublishedDate?: string;
  readonly endPublishedDate?: string;
}

/** Rejects what the provider rejects for some categories, and a period that ends before it begins. */
function refuseContradictions(value: Filtered, context: z.core.$RefinementCtx): void {
  const refuse = (path: string, message: string) =>
    context.addIssue({ code: 'custom', path: [path], message });
  if (value.category === 'company' || value.category === 'people') {
    for (const field of [
      'includeDomains',
      'excludeDomains',
      'startPublishedDate',
      'endPublishedDate',
    ] as const) {
      if (value[field] !== undefined)
        refuse(field, `must not be used together with category ${value.category}`);
    }
  }
  // It means one domain, so others contradict it.
  if (value.category === 'github' && value.includeDomains !== undefined)
    refuse('includeDomains', 'must not be used together with category github');
  const { startPublishedDate: start, endPublishedDate: end } = value;
  if (start && end && Date.parse(start) > Date.parse(end))
    refuse('endPublishedDate', 'must not be before startPublishedDate');
}

const numResults = z
  .number()
  .int()
  .min(1)
  .max(researchLimits.similarResultsMax)
  .default(10)
  .meta({ description: 'How many results to return.', examples: [5] });

const page = z.looseObject({ url: z.string().describe('Address of the page.') });
const pages = z
  .looseObject({ results: z.array(page).describe('The pages.') })
  .describe('results: url, title, publishedDate, author, and text, highlights, summary if requested.');

const shared = {
  category: 'proxy',
  method: 'POST',
  params: noParams,
  takesBody: true,
  providers: ['exa'],
  errors: forwardedErrors,
  codes: researchCodes,
} as const;

const foundPage = {
  id: 'https://news.example.com/energy/sodium-pilot',
  url: 'https://news.example.com/energy/sodium-pilot',
  title: 'Utility switches on a sodium-ion plant',
  publishedDate: '2026-09-14T08:00:00.000Z',
  author: 'R. Okafor',
};

export const search = operation({
  ...shared,
  id: 'neural.search',
  priceName: 'neuralSearch',
  paths: { x402: '/v1/neural/search', mpp: '/v1/mpp/neural/search', account: '/v1/account/neural/search' },
  price: '0.01',
  title: 'Search the web by meaning',
  summary: `Search the web by meaning: up to ${researchLimits.similarResultsMax} ranked pages with title, date and author, and optionally text, highlights or a summary. Filters: category, domain, date.`,
  body: z
    .strictObject({
      query: query.describe('What to search for, in natural language.'),
      type: z
        .enum(['auto', 'fast', 'instant'])
        .default('auto')
        .describe('Trade-off between quality and speed.'),
      numResults,
      ...filters,
      userLocation: country.optional(),
      moderation: z.boolean().optional().describe('Leave out unsafe content.'),
    })
    .superRefine(refuseContradictions),
  output: pages,
  minimalBody: { query: 'sodium-ion storage pilots' },
  example: {
    params: {},
    body: { query: 'sodium-ion storage pilots', numResults: 2, contents: { summary: true } },
    output: { results: [{ ...foundPage, summary: 'A 50 MW plant has started.' }] },
  },
});

export const contents = operation({
  ...shared,
  id: 'neural.contents',
  priceName: 'neuralContents',
  paths: {
    x402: '/v1/neural/contents',
    mpp: '/v1/mpp/neural/contents',
    account: '/v1/account/neural/contents',
  },
  price: '0.002',
  providers: ['exa', 'reader'],
  errors: [...forwardedErrors, ...readerErrors],
  title: 'Read web pages',
  summary: `Read up to ${researchLimits.contentsUrlsMax} web pages as clean text, from a cache or live, and optionally highlights and summaries.`,
  body: z
    .strictObject({
      urls: z
        .array(publicUrl)
        .min(1)
        .max(researchLimits.contentsUrlsMax)
        .meta({
          description: 'URLs of the pages to read.',
          examples: [['https://docs.example.com/start']],
        }),
      ...contentOptions,
    })
    .refine(({ text, highlights, summary }) => text !== false || highlights || summary, {
      path: ['text'],
      message: 'must not be false without highlights or summary, because then nothing is left to return',
    }),
  output: pages.describe('results: url, title, text; statuses: the result for each URL.'),
  minimalBody: { urls: ['https://docs.example.com/start'] },
  example: {
    params: {},
    body: { urls: ['https://docs.example.com/start'], text: { maxCharacters: 2000 } },
    output: {
      results: [{ url: 'https://docs.example.com/start', title: 'Start', text: 'Run the setup wizard.' }],
      statuses: [{ id: 'https://docs.example.com/start', status: 'success', source: 'cached' }],
    },
  },
});

export const findSimilar = operation({
  ...shared,
  id: 'neural.findSimilar',
  priceName: 'neuralFindSimilar',
  paths: {
    x402: '/v1/neural/find-similar',
    mpp: '/v1/mpp/neural/find-similar',
    account: '/v1/account/neural/find-similar',
  },
  price: '0.01',
  title: 'Find similar pages',
  summary: `Find up to ${researchLimits.similarResultsMax} pages similar to a given page, and optionally their contents.`,
  body: z
    .strictObject({
      url: publicUrl.describe('The page to find similar pages for.'),
      numResults,
      excludeSourceDomain: z.boolean().optional().describe('No pages from the domain of url.'),
      ...filters,
    })
    .superRefine(refuseContradictions),
  output: pages,
  minimalBody: { url: 'https://blog.example.net/na-ion' },
  example: {
    params: {},
    body: { url: 'https://blog.example.net/na-ion', excludeSourceDomain: true },
    output: { results: [foundPage] },
  },
});

export const answer = operation({
  ...shared,
  id: 'neural.answer',
  priceName: 'neuralAnswer',
  paths: { x402: '/v1/neural/answer', mpp: '/v1/mpp/neural/answer', account: '/v1/account/neural/answer' },
  price: '0.01',
  title: 'Answer a question',
  summary: 'Ask a question and get a direct answer with its source pages as citations.',
  body: z.strictObject({
    query: query.meta({ description: 'The question.', examples: ['Which city hosts the archive?'] }),
    text: z.boolean().optional().describe('Whether to include the page text of citations.'),
    systemPrompt: z
      .string()
      .min(1)
      .max(researchLimits.queryLengthMax)
      .optional()
      .meta({
        description: 'How to answer: tone, length, language.',
        examples: ['Answer in one sentence.'],
      }),
    userLocation: country.optional(),
  }),
  output: z
    .looseObject({
      answer: z.string().describe('The answer, in sentences.'),
      citations: z.array(page).describe('The pages that the answer is made from.'),
    })
    .describe('answer, and citations: url, title, publishedDate, author.'),
  minimalBody: { query: 'Which city hosts the archive?' },
  example: {
    params: {},
    body: { query: 'Which city hosts the archive?' },
    output: { answer: 'Lisbon.', citations: [{ url: 'https://archive.example.pt/', title: 'Holdings' }] },
  },
});

export const paid = [search, contents, findSimilar, answer];
