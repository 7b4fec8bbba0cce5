import { z } from 'zod';
import { parseUrl } from '@/lib/platform/addresses/parse-url';
import type { Platform } from '@/lib/platform/platform';
import { callProvider } from '@/lib/platform/upstream/call-provider';
import type { WithUpstream } from '@/lib/platform/upstream/circuit-breakers';
import { UpstreamFailure } from '@/lib/platform/upstream/failure';
import { isGone } from '@/lib/platform/upstream/incompatible';
import { answerBytesMax } from '../limits';

interface CallDeps extends WithUpstream, Pick<Platform, 'settings' | 'clock' | 'timings' | 'metrics'> {}

const timeoutMs = 20_000;
/** SearXNG's pages have no fixed length. At most this many are fetched for one list. */
const pagesMax = 3;

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? '');

/** A result of any category. Engines leave out what they do not know. */
const result = z.object({
  url: z.string(),
  title: text,
  content: text,
  publishedDate: text,
  source: text,
  thumbnail: text,
  thumbnail_src: text,
  img_src: text,
  resolution: text,
});
export type SearxngResult = z.output<typeof result>;

const answers = z.object({
  results: z.array(z.unknown()).transform((entries) =>
    entries.flatMap((entry) => {
      const parsed = result.safeParse(entry);
      return parsed.success && /^https?:/i.test(parsed.data.url) ? [parsed.data] : [];
    }),
  ),
  suggestions: z.array(z.string()).catch([]),
  unresponsive_engines: z.array(z.unknown()).catch([]),
});

export interface SearxngQuery {
  readonly q: string;
  readonly category: 'general' | 'news' | 'images';
  /** ISO 639-1 and ISO 3166-1 alpha-2. */
  readonly language?: string;
  readonly country?: string;
  /** Google's `qdr:` filter. SearXNG supports day, week, month and year. */
  readonly tbs?: string;
  /** Starts at 1, in pages of `wanted` results. */
  readonly page: number;
  readonly wanted: number;
}

export interface SearxngAnswer {
  readonly results: readonly SearxngResult[];
  readonly suggestions: readonly string[];
}

/**
 * Queries the operator's SearXNG page by page until there are enough results.
 * @throws ApiError provider_unconfigured; UpstreamFailure when it or all of its engines fail
 */
export async function callSearxng(app: CallDeps, query: SearxngQuery): Promise<SearxngAnswer> {
  const results: SearxngResult[] = [];
  let suggestions: readonly string[] = [];
  for (let page = query.page; page < query.page + pagesMax && results.length < query.wanted; page += 1) {
    const answer = await askPage(app, query, page);
    if (answer.results.length === 0) break;
    if (page === query.page) ({ suggestions } = answer);
    results.push(...answer.results);
  }
  return { results: results.slice(0, query.wanted), suggestions };
}

async function askPage(app: CallDeps, query: SearxngQuery, page: number): Promise<z.output<typeof answers>> {
  const { status, json, retryAfter } = await callProvider(app, 'searxng', {
    method: 'GET',
    path: `/search?${parameters(query, page)}`,
    timeoutMs,
    bytesMax: answerBytesMax,
  });
  if (status === 429) throw new UpstreamFailure('limited', 'rate_limit', { status, retryAfter });
  if (isGone(status)) throw new UpstreamFailure('incompatible', `status_${status}`, { status });
  if (status === 400) throw new UpstreamFailure('rejected', 'invalid_request', { status });
  if (status !== 200) throw new UpstreamFailure('failed', `status_${status}`, { status });
  const parsed = answers.safeParse(json);
  if (!parsed.success) throw new UpstreamFailure('failed', 'unexpected_shape', { status });
  // SearXNG returns 200 even when all of its engines are blocked or silent.
  if (parsed.data.results.length === 0 && parsed.data.unresponsive_engines.length > 0)
    throw new UpstreamFailure('failed', 'no_engine', { status });
  return parsed.data;
}

function parameters({ q, category, language, country, tbs }: SearxngQuery, page: number): URLSearchParams {
  const range = { d: 'day', w: 'week', m: 'month', y: 'year' }[/^qdr:([dwmy])$/.exec(tbs ?? '')?.[1] ?? ''];
  return new URLSearchParams({
    q: plainWords(q),
    format: 'json',
    categories: category,
    pageno: String(page),
    ...(language ? { language: country ? `${language}-${country.toUpperCase()}` : language } : {}),
    ...(range ? { time_range: range } : {}),
  });
}

/** Removes prefixes that SearXNG treats as commands: other engines, other sites, longer time limits. */
function plainWords(query: string): string {
  return query
    .split(/\s+/)
    .map((word) => word.replace(/^[!?:<]+/, ''))
    .filter((word) => word !== '')
    .join(' ');
}

/** Without `www.`, as search engines name a source. */
export function hostOf(address: string): string {
  return parseUrl(address)?.hostname.replace(/^www\./, '') ?? '';
}
