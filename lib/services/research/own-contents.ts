import { setImmediate } from 'node:timers/promises';
import { ApiError, invalidInput } from '@/lib/catalog/errors/api-error';
import type { contents } from '@/lib/catalog/neural';
import type { Input } from '@/lib/catalog/operation';
import { newId } from '@/lib/platform/ids';
import type { JsonObject } from '@/lib/platform/upstream/call-provider';
import { admitReading, refusalOf } from './crawl';
import type { OwnSource } from './forward';
import { blocksOf } from './reader/page/blocks';
import { findPassages } from './reader/page/passages';
import type { PageData } from './reader/page/read';
import { cutAt } from './reader/page/sentences';
import { summarize } from './reader/page/summary';
import { readPages } from './reader/read-pages';
import type { Reading } from './reader/reading-pool';

type Request = Input<typeof contents>;

/** The payment waits meanwhile, and has to be valid for some time after that. */
const readingMs = 20_000;
/** For the texts of all pages together. */
const charactersMax = 1_000_000;
const highlightCharactersMax = 1_000;

/**
 * Reads pages with our own reader, in the shape of the neural-search provider's response. Every page is read now: there is no cache.
 * Summaries are extracts: sentences of the page, word for word.
 */
export const contentsWithOwnReader: OwnSource<Request> = {
  async admit(app, caller, { maxAgeHours }) {
    if (maxAgeHours === -1)
      throw invalidInput([
        { path: 'maxAgeHours', rule: 'must be at least 0: pages are read now, and no copies are kept' },
      ]);
    await admitReading(app, caller);
  },

  async prepare(app, request, client) {
    const { urls, text } = request;
    const wantsHtml = typeof text === 'object' && text.includeHtmlTags === true;
    const readings = await readPages(
      app,
      urls,
      {
        formats: ['markdown', ...(wantsHtml ? (['html'] as const) : [])],
        onlyMainContent: true,
        deadline: app.clock.monotonic() + readingMs,
        atOnce: app.settings.READER_BROWSERS,
      },
      client,
    );
    const statuses = urls.map((url, at) => statusOf(url, readings[at] ?? null));
    const results: JsonObject[] = [];
    for (const [at, reading] of readings.entries()) {
      if (reading?.kind !== 'read' || !isPage(reading.data)) continue;
      results.push(resultOf(urls[at] ?? '', reading.data, request));
      // Ranking the sentences of a long page takes a moment, in which nothing else runs.
      await setImmediate();
    }
    if (results.length === 0) throw refusalOfAll(readings);
    return { requestId: newId('req'), results, statuses };
  },
};

const isPage = ({ metadata }: PageData) => Number(metadata.statusCode ?? 200) < 400;

function resultOf(
  url: string,
  { metadata, markdown = '', html, warning }: PageData,
  request: Request,
): JsonObject {
  const { urls, text, highlights, summary } = request;
  const fact = (name: string) => metadata[name] ?? undefined;
  const language = typeof metadata.language === 'string' ? metadata.language : undefined;
  const wantsText = text !== undefined ? text !== false : !highlights && !summary;
  const limit = Math.min(
    (typeof text === 'object' ? text.maxCharacters : undefined) ?? charactersMax,
    Math.floor(charactersMax / urls.length),
  );
  const wanted = typeof highlights === 'object' ? highlights : {};
  const blocks = highlights || summary ? blocksOf(markdown) : [];
  return {
    id: url,
    url: fact('url') ?? url,
    title: fact('title') ?? null,
    author: fact('author') ?? null,
    ...(fact('publishedTime') === undefined ? {} : { publishedDate: fact('publishedTime') }),
    ...(fact('ogImage') === undefined ? {} : { image: fact('ogImage') }),
    // Such as pages of a PDF that are missing.
    ...(warning === undefined ? {} : { warning }),
    ...(wantsText ? { text: cutAt(html ?? markdown, limit) } : {}),
    ...(highlights
      ? {
          highlights: findPassages(
            blocks,
            wanted.query,
            wanted.maxCharacters ?? highlightCharactersMax,
            language,
          ),
        }
      : {}),
    ...(summary
      ? { summary: summarize(blocks, language, typeof summary === 'object' ? summary.query : undefined) }
      : {}),
  };
}

/** How reading a page ended, in the provider's terms. */
function statusOf(id: string, reading: Reading | null): JsonObject {
  const error = (tag: string, httpStatusCode: number | null) => ({
    id,
    status: 'error',
    error: { tag, httpStatusCode },
  });
  switch (reading?.kind) {
    case 'read': {
      const code = Number(reading.data.metadata.statusCode ?? 200);
      if (code < 400) return { id, status: 'success', source: 'crawled' };
      return error(code === 404 ? 'CRAWL_NOT_FOUND' : `CRAWL_HTTP_${code}`, code);
    }
    case 'unsupported':
    case 'without_text':
    case 'too_large':
    case 'pdf':
      return error('UNSUPPORTED_URL', null);
    case 'not_public':
      return error('SOURCE_NOT_AVAILABLE', 403);
    case 'unreachable':
    case 'failed':
      return error('CRAWL_UNKNOWN_ERROR', 500);
    default:
      return error('CRAWL_TIMEOUT', 504);
  }
}

/** When no page could be read: what is told about the first of them. */
function refusalOfAll(readings: readonly (Reading | null)[]): ApiError {
  const [first] = readings;
  if (!first) return new ApiError('reader_busy');
  return first.kind === 'read' ? new ApiError('page_unreachable') : refusalOf(first);
}
