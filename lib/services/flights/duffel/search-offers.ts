import { z } from 'zod';
import type { Platform } from '@/lib/platform/platform';
import type { WithUpstream } from '@/lib/platform/upstream/circuit-breakers';
import { UpstreamFailure } from '@/lib/platform/upstream/failure';
import { callDuffel } from './call-duffel';
import { type DuffelOffer, duffelOffer } from './offer';

interface SearchDeps extends WithUpstream, Pick<Platform, 'settings' | 'clock' | 'timings' | 'metrics'> {}

/** How long Duffel waits for airlines, and how long the search, and then the reading of its offers, may take. */
const supplierTimeoutMs = 20_000;
const timeoutMs = 130_000;
const pageTimeoutMs = 30_000;

/** The largest page that Duffel makes, and how many are read for one search. A busy route has ten thousand offers and more. */
export const pageLengthMax = 200;
const pagesMax = 50;

/** The offers of a search that were read, cheapest first. */
export interface FoundOffers {
  readonly offers: readonly DuffelOffer[];
  /** How many others were in an unknown form. */
  readonly unreadable: number;
  /** Whether there are more, which cost more. */
  readonly hasMore: boolean;
}

/** What is read of a search's offers. */
export interface Extent {
  readonly pageLength: number;
  /** Whether these offers are enough. */
  readonly isEnough: (offers: readonly DuffelOffer[]) => boolean;
}

const created = z.object({ data: z.object({ id: z.string().regex(/^[A-Za-z0-9_-]+$/) }) });

/**
 * Makes Duffel search, which takes up to a minute. The offers are not in the response, because all offers of a busy route take
 * tens of megabytes.
 * @returns the ID of the search
 */
export async function startSearch(app: SearchDeps, body: object): Promise<string> {
  const query = new URLSearchParams({ return_offers: 'false', supplier_timeout: String(supplierTimeoutMs) });
  const json = await callDuffel(app, {
    method: 'POST',
    path: `/air/offer_requests?${query}`,
    body: { data: body },
    timeoutMs,
  });
  const parsed = created.safeParse(json);
  if (!parsed.success) throw new UpstreamFailure('failed', 'unexpected_shape');
  return parsed.data.data.id;
}

const page = z.object({
  data: z.array(z.unknown()),
  meta: z.object({ after: z.string().nullish().catch(undefined) }).nullish(),
});

/**
 * Reads the offers of a search page by page, cheapest first, until there are enough.
 * @throws UpstreamFailure when nothing could be read; a later page that fails ends the list
 */
export async function readOffers(
  app: SearchDeps,
  searchId: string,
  { pageLength, isEnough }: Extent,
): Promise<FoundOffers> {
  const deadline = app.clock.monotonic() + timeoutMs;
  const offers: DuffelOffer[] = [];
  let unreadable = 0;
  let after: string | null = null;
  for (let pages = 0; pages < pagesMax && app.clock.monotonic() < deadline; pages += 1) {
    const next: Page | null = await readPage(app, searchId, pageLength, after).catch((error: unknown) => {
      if (offers.length === 0) throw error;
      return null;
    });
    if (next === null) break;
    offers.push(...next.offers);
    unreadable += next.unreadable;
    after = next.after;
    if (after === null) {
      if (offers.length === 0 && unreadable > 0) throw new UpstreamFailure('failed', 'unexpected_shape');
      return { offers, unreadable, hasMore: false };
    }
    if (isEnough(offers)) break;
  }
  return { offers, unreadable, hasMore: true };
}

interface Page {
  readonly offers: readonly DuffelOffer[];
  readonly unreadable: number;
  /** Where the next page begins; null on the last one. */
  readonly after: string | null;
}

async function readPage(
  app: SearchDeps,
  searchId: string,
  length: number,
  after: string | null,
): Promise<Page> {
  const query = new URLSearchParams({
    offer_request_id: searchId,
    sort: 'total_amount',
    limit: String(length),
    ...(after === null ? {} : { after }),
  });
  const json = await callDuffel(app, {
    method: 'GET',
    path: `/air/offers?${query}`,
    timeoutMs: pageTimeoutMs,
  });
  const parsed = page.safeParse(json);
  if (!parsed.success) throw new UpstreamFailure('failed', 'unexpected_shape');
  const { data, meta } = parsed.data;
  const offers = data.flatMap((offer) => duffelOffer.safeParse(offer).data ?? []);
  return { offers, unreadable: data.length - offers.length, after: meta?.after ?? null };
}
