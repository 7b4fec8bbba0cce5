import { z } from 'zod';
import { contents } from '@/lib/catalog/neural';
import type { JsonObject } from '@/lib/upstream/ask';
import { UpstreamFailure } from '@/lib/upstream/failure';
import { askExa } from './exa/ask';
import { contentsOptions } from './exa/contents-options';
import { forward } from './forward';

const fate = z.object({
  results: z.array(z.unknown()),
  statuses: z
    .array(z.object({ status: z.string(), error: z.object({ tag: z.string() }).partial().nullish() }))
    .default([]),
});

/** Why a page could not be read, when that lies with the page and not with who reads it. */
const pagesTags = /^(CRAWL_NOT_FOUND|CRAWL_HTTP_4\d\d|SOURCE_NOT_AVAILABLE|UNSUPPORTED_URL)$/;

export const neuralContents = forward(contents, {
  async exa(app, { urls, ...options }) {
    const json = await askExa(app, '/contents', { urls, ...contentsOptions(options) });
    refuseWhenNothingWasRead(json);
    return json;
  },
});

/** Exa answers 200 also when not one of the pages could be read. */
function refuseWhenNothingWasRead(json: JsonObject): void {
  const parsed = fate.safeParse(json);
  if (!parsed.success) throw new UpstreamFailure('failed', 'unexpected_shape');
  const { results, statuses } = parsed.data;
  const isRead = statuses.some(({ status }) => status === 'success');
  if (isRead || (results.length > 0 && statuses.length === 0)) return;
  const isPages = statuses.length > 0 && statuses.every(({ error }) => pagesTags.test(error?.tag ?? ''));
  throw new UpstreamFailure(isPages ? 'rejected' : 'failed', 'no_page_could_be_read');
}
