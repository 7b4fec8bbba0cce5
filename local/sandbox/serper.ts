import { z } from 'zod';
import { findRequestedFailure, type ProviderResponse, type SandboxProvider } from './provider';

/** The part of Serper that the service uses: search, news, images, shopping. */

const searchBody = z.strictObject({
  q: z.string().min(1),
  gl: z.string().optional(),
  hl: z.string().optional(),
  location: z.string().optional(),
  num: z.number().int().min(1).max(100).optional(),
  page: z.number().int().min(1).optional(),
  autocorrect: z.boolean().optional(),
  tbs: z.string().optional(),
});

/** `sandbox-fails-<name>`: every failure that Serper documents, by name. */
export const serperFailures: Readonly<Record<string, ProviderResponse>> = {
  'bad-request': failure(400, 'Missing query parameter'),
  credits: failure(400, 'Not enough credits'),
  'credits-429': failure(429, 'Not enough credits'),
  pattern: failure(400, 'Query pattern not allowed for free accounts.'),
  key: failure(403, 'Unauthorized.'),
  'rate-limit': { ...failure(429, 'Too many requests'), headers: { 'retry-after': '1' } },
  'told-inside': { status: 200, body: { message: 'Internal Server Error', statusCode: 500 } },
  internal: failure(500, 'Internal Server Error'),
  unavailable: failure(503, 'Unavailable'),
};

export const serper: SandboxProvider = (request) => {
  if (request.headers['x-api-key'] !== 'sandbox_serper') return failure(403, 'Unauthorized.');
  const kind = request.path.slice(1);
  if (request.method !== 'POST' || !Object.hasOwn(blocks, kind)) return failure(404, 'Not found');
  const failing = findRequestedFailure(request, serperFailures);
  if (failing) return failing;
  const parsed = searchBody.safeParse(request.body);
  if (!parsed.success) return failure(400, 'Missing query parameter');
  const { q, num } = parsed.data;
  const length = rowsOf(kind, num);
  const rows = Array.from({ length: q.includes('sandbox-nothing') ? 0 : length }, (_, index) => ({
    ...blocks[kind as keyof typeof blocks].row(index + 1, q),
    position: index + 1,
  }));
  const searchParameters = { ...parsed.data, type: kind, engine: 'google' };
  const body = {
    searchParameters,
    [blocks[kind as keyof typeof blocks].name]: rows,
    credits: (num ?? 10) > 10 ? 2 : 1,
  };
  return { status: 200, body: kind === 'search' ? { ...body, ...extrasFor(q) } : body };
};

/** Google gives about ten results on a page, whatever is asked; a hundred images; and forty products unless fewer are asked. */
function rowsOf(kind: string, num: number | undefined): number {
  if (kind === 'images') return num ?? 10;
  if (kind === 'shopping') return Math.min(num ?? 40, 40);
  return Math.min(num ?? 10, 10);
}

const blocks = {
  search: {
    name: 'organic',
    row: (n: number, q: string) => ({
      title: `${q} (${n})`,
      link: `https://example.com/${n}`,
      snippet: 'A result from the sandbox.',
    }),
  },
  news: {
    name: 'news',
    row: (n: number, q: string) => ({
      title: `${q} (${n})`,
      link: `https://news.example.com/${n}`,
      snippet: 'An article from the sandbox.',
      date: '2 days ago',
      source: 'Example News',
    }),
  },
  images: {
    name: 'images',
    row: (n: number, q: string) => ({
      title: `${q} (${n})`,
      imageUrl: `https://pics.example.com/${n}.jpg`,
      imageWidth: 1600,
      imageHeight: 1067,
      thumbnailUrl: `https://thumbs.example.com/${n}`,
      source: 'Example Pics',
      domain: 'pics.example.com',
      link: `https://pics.example.com/${n}`,
    }),
  },
  shopping: {
    name: 'shopping',
    row: (n: number, q: string) => ({
      title: `${q} (${n})`,
      source: 'Example Outdoors',
      link: `https://shop.example.com/p/${n}`,
      price: '$24.50',
      rating: 4.6,
      ratingCount: 311,
    }),
  },
};

function extrasFor(q: string) {
  return {
    answerBox: { title: q, answer: 'A sandbox knows no answers.', link: 'https://example.com/1' },
    knowledgeGraph: {
      title: q,
      type: 'Sandbox',
      description: 'What the sandbox says about everything.',
      attributes: { Founded: '2026' },
    },
    peopleAlsoAsk: [
      { question: 'Is this real?', snippet: 'No.', title: 'FAQ', link: 'https://example.com/faq' },
    ],
    relatedSearches: [{ query: `more ${q}` }],
  };
}

/** Callers of the service must never see a provider's messages. */
function failure(statusCode: number, message: string) {
  return { status: statusCode, body: { message, statusCode } };
}
