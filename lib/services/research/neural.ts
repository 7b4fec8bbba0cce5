import { z } from 'zod';
import { answer, contents, findSimilar, search } from '@/lib/catalog/neural';
import type { JsonObject } from '@/lib/platform/upstream/call-provider';
import { UpstreamFailure } from '@/lib/platform/upstream/failure';
import { callExa } from '@/lib/services/research/exa/call-exa';
import { contentsOptions } from '@/lib/services/research/exa/contents-options';
import { filters } from '@/lib/services/research/exa/filters';
import { forward, forwardOrRead } from './forward';
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
      refuseWhenNothingWasRead(json);
      return json;
    },
  },
  contentsWithOwnReader,
);

/** Exa returns 200 even when it could read none of the pages. */
function refuseWhenNothingWasRead(json: JsonObject): void {
  const parsed = fate.safeParse(json);
  if (!parsed.success) throw new UpstreamFailure('failed', 'unexpected_shape');
  const { results, statuses } = parsed.data;
  if (results.length > 0) return;
  const isPages = statuses.length > 0 && statuses.every(({ error }) => pagesTags.test(error?.tag ?? ''));
  throw new UpstreamFailure(isPages ? 'rejected' : 'failed', 'no_page_could_be_read', { isOfRequest: true });
}

export const neuralFindSimilar = forward(findSimilar, {
  exa: (app, { url, excludeSourceDomain, ...filtered }) =>
    callExa(app, '/findSimilar', { url, excludeSourceDomain, ...filters(filtered) }),
});
