import { z } from 'zod';
import { answer, contents, findSimilar, search } from '@/lib/catalog/neural';
import type { Input } from '@/lib/catalog/operation';
import type { JsonObject } from '@/lib/platform/upstream/call-provider';
import { recordFailure, UpstreamFailure } from '@/lib/platform/upstream/failure';
import { callExa } from '@/lib/services/research/exa/call-exa';
import { contentsOptions } from '@/lib/services/research/exa/contents-options';
import { filters } from '@/lib/services/research/exa/filters';
import { forward, forwardOrRead, type ResearchDeps } from './forward';
import { contentsWithOwnReader } from './own-contents';

export const neuralSearch = forward(search, {
  exa: (app, { query, type, userLocation, moderation, ...filtered }) =>
    callExa(app, '/search', {
      query,
      type,
      ...filters(filtered),
      userLocation: userLocation?.toUpperCase(),
      moderation,
    }),
});

export const neuralAnswer = forward(answer, {
  async exa(app, { query, text, systemPrompt, userLocation }) {
    const json = await callExa(app, '/answer', {
      query,
      text,
      systemPrompt,
      userLocation: userLocation?.toUpperCase(),
    });
    if (json.answer === '') throw new UpstreamFailure('failed', 'empty_answer', { isOfRequest: true });
    return json;
  },
});

const fate = z.object({
  results: z.array(z.unknown()),
  statuses: z
    .array(z.object({ error: z.object({ tag: z.string() }).partial().nullish() }))
    .default([])
    .catch([]),
});

/** Failures caused by the page, not by the reader. */
const pagesTags = /^(CRAWL_NOT_FOUND|CRAWL_HTTP_4\d\d|SOURCE_NOT_AVAILABLE|UNSUPPORTED_URL)$/;

export const neuralContents = forwardOrRead(
  contents,
  {
    async exa(app, { urls, ...options }) {
      const json = await callExa(app, '/contents', { urls, ...contentsOptions(options) });
      pagesOf(json);
      return json;
    },
  },
  contentsWithOwnReader,
);

/** The pages that were read. Exa returns 200 even when it could read none. */
function pagesOf(json: JsonObject): readonly unknown[] {
  const parsed = fate.safeParse(json);
  if (!parsed.success) throw new UpstreamFailure('failed', 'unexpected_shape');
  const { results, statuses } = parsed.data;
  if (results.length > 0) return results;
  const isPages = statuses.length > 0 && statuses.every(({ error }) => pagesTags.test(error?.tag ?? ''));
  throw new UpstreamFailure(isPages ? 'rejected' : 'failed', 'no_page_could_be_read', { isOfRequest: true });
}

export const neuralFindSimilar = forward(findSimilar, {
  async exa(app, request) {
    const { url, excludeSourceDomain, ...filtered } = request;
    try {
      return await callExa(app, '/findSimilar', { url, excludeSourceDomain, ...filters(filtered) });
    } catch (error) {
      // Exa has announced that it will remove this path.
      if (!(error instanceof UpstreamFailure) || error.kind !== 'incompatible') throw error;
      recordFailure(app, { provider: 'exa', operation: findSimilar.id }, error);
      return searchForSimilar(app, request);
    }
  },
});

const pageToMatch = z.object({ title: z.string().nullish(), summary: z.string().nullish() });
const found = z.object({ results: z.array(z.looseObject({ url: z.string() })) });

/** The beginning says what a page is about. */
const similarQueryLength = 500;

/** Searches for what a page is about, by its title and a summary. */
async function searchForSimilar(
  app: ResearchDeps,
  { url, excludeSourceDomain, ...filtered }: Input<typeof findSimilar>,
): Promise<JsonObject> {
  const read = await callExa(app, '/contents', { urls: [url], ...contentsOptions({ summary: true }) });
  const [page] = pagesOf(read);
  const { title, summary } = pageToMatch.catch({}).parse(page);
  const query = [title, summary].filter(Boolean).join(': ').slice(0, similarQueryLength);
  if (query === '') throw new UpstreamFailure('rejected', 'no_page_could_be_read');
  const { numResults, includeDomains, excludeDomains = [], category } = filtered;
  // Exa refuses domains for these categories. Those that are included say enough.
  const takesDomains = !includeDomains && category !== 'company' && category !== 'people';
  const wanted = {
    ...filtered,
    // The page itself may be found too.
    numResults: numResults + 1,
    ...(excludeSourceDomain && takesDomains ? { excludeDomains: [...excludeDomains, hostOf(url)] } : {}),
  };
  const json = await callExa(app, '/search', { query, type: 'auto', ...filters(wanted) });
  const parsed = found.safeParse(json);
  if (!parsed.success) throw new UpstreamFailure('failed', 'unexpected_shape');
  const isOther = (other: { readonly url: string }) =>
    excludeSourceDomain ? hostOf(other.url) !== hostOf(url) : other.url !== url;
  return { ...json, results: parsed.data.results.filter(isOther).slice(0, numResults) };
}

const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).hostname : url);
