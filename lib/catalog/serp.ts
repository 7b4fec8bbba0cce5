import { z } from 'zod';
import { noParams, operation } from './operation';
import { forwardedErrors } from './providers';
import { query, researchCodes, researchLimits, tbs } from './research';

/** The search-engine-results provider's own field names. */
const serpRequest = z.strictObject({
  q: query.meta({
    description: 'The query. Supports site:, quotes and -word.',
    examples: ['tallest lighthouse in europe'],
  }),
  gl: z
    .string()
    .regex(/^[a-z]{2}$/, { error: 'must be a two-letter country code in lowercase such as gb' })
    .optional()
    .meta({ description: 'Country, ISO 3166-1 alpha-2 in lowercase.', examples: ['gb'] }),
  hl: z
    .string()
    .regex(/^[a-z]{2,3}(-([a-zA-Z]{2,4}|\d{3}))?$/, { error: 'must be a language code such as en or pt-br' })
    .optional()
    .meta({ description: 'Language of the results.', examples: ['en', 'pt-br'] }),
  location: z
    .string()
    .min(1)
    .max(100)
    .optional()
    .meta({
      description: 'Place to search from.',
      examples: ['Porto, Portugal'],
    }),
  num: z
    .number()
    .int()
    .min(1)
    .max(researchLimits.serpResultsMax)
    .default(10)
    .meta({
      description: 'How many results. Google gives about 10 a page.',
      examples: [10],
    }),
  page: z
    .number()
    .int()
    .min(1)
    .max(100)
    .default(1)
    .meta({ description: 'Page of results, starting at 1.', examples: [2] }),
  autocorrect: z.boolean().optional().describe('Correct spelling in the query.'),
  tbs: tbs.optional(),
});

const shared = {
  category: 'proxy',
  method: 'POST',
  price: '0.004',
  params: noParams,
  body: serpRequest,
  takesBody: true,
  errors: forwardedErrors,
  codes: researchCodes,
} as const;

const rows = (description: string) => z.array(z.looseObject({})).optional().describe(description);

export const search = operation({
  ...shared,
  id: 'serp.search',
  priceName: 'serpSearch',
  paths: { x402: '/v1/serp/search', mpp: '/v1/mpp/serp/search', account: '/v1/account/serp/search' },
  title: 'Search the web',
  summary:
    'Get search engine results by country and language: organic results, answer box, knowledge graph, people also ask, related searches.',
  providers: ['serper', 'searxng'],
  output: z
    .looseObject({ organic: rows('The results, best match first: title, link, snippet, position.') })
    .describe(
      'organic: title, link, snippet, position; answerBox, knowledgeGraph, peopleAlsoAsk, relatedSearches.',
    ),
  minimalBody: { q: 'tallest lighthouse in europe' },
  example: {
    params: {},
    body: { q: 'tallest lighthouse in europe', gl: 'gb', hl: 'en' },
    output: {
      organic: [
        {
          title: 'Lights by height',
          link: 'https://lights.example.com/height',
          snippet: 'A ranked list.',
          position: 1,
        },
      ],
    },
  },
});

export const news = operation({
  ...shared,
  id: 'serp.news',
  priceName: 'serpNews',
  paths: { x402: '/v1/serp/news', mpp: '/v1/mpp/serp/news', account: '/v1/account/serp/news' },
  title: 'Search news',
  summary: 'Get search engine news by country, language and time: title, link, source, date and snippet.',
  providers: ['serper', 'searxng'],
  output: z
    .looseObject({ news: rows('The articles: title, link, source, date, snippet.') })
    .describe('news: title, link, source, date, snippet.'),
  minimalBody: { q: 'harbor strike' },
  example: {
    params: {},
    body: { q: 'harbor strike', tbs: 'qdr:w' },
    output: {
      news: [
        {
          title: 'Dockers return',
          link: 'https://news.example.com/dock',
          source: 'Example News',
          date: '2 days ago',
        },
      ],
    },
  },
});

export const images = operation({
  ...shared,
  id: 'serp.images',
  priceName: 'serpImages',
  paths: { x402: '/v1/serp/images', mpp: '/v1/mpp/serp/images', account: '/v1/account/serp/images' },
  title: 'Search images',
  summary: 'Get search engine images: image URL, thumbnail, dimensions and source page.',
  providers: ['serper', 'searxng'],
  output: z
    .looseObject({ images: rows('The images: title, imageUrl, imageWidth, thumbnailUrl, link.') })
    .describe('images: title, imageUrl, imageWidth, thumbnailUrl, link.'),
  minimalBody: { q: 'red lighthouse' },
  example: {
    params: {},
    body: { q: 'red lighthouse', num: 10 },
    output: {
      images: [
        {
          title: 'Red tower',
          imageUrl: 'https://pics.example.com/r.jpg',
          imageWidth: 1600,
          link: 'https://pics.example.com/red',
        },
      ],
    },
  },
});

export const shopping = operation({
  ...shared,
  id: 'serp.shopping',
  priceName: 'serpShopping',
  paths: { x402: '/v1/serp/shopping', mpp: '/v1/mpp/serp/shopping', account: '/v1/account/serp/shopping' },
  title: 'Search products',
  summary: 'Get search engine products: price, seller, rating and link.',
  providers: ['serper'],
  output: z
    .looseObject({ shopping: rows('The products: title, source, link, price, rating.') })
    .describe('shopping: title, source, link, price, rating.'),
  minimalBody: { q: 'hand torch usb-c' },
  example: {
    params: {},
    body: { q: 'hand torch usb-c', gl: 'us' },
    output: {
      shopping: [
        {
          title: 'Pocket torch',
          source: 'Example Outdoors',
          link: 'https://shop.example.com/p/1',
          price: '$24.50',
        },
      ],
    },
  },
});

export const paid = [search, news, images, shopping];
