import { ApiError } from '@/lib/catalog/errors/api-error';
import { offer } from '@/lib/catalog/flights';
import type { FairLimit } from '@/lib/platform/concurrency/fair-limit';
import { ownerOf } from '@/lib/platform/owners';
import type { Platform } from '@/lib/platform/platform';
import type { WithUpstream } from '@/lib/platform/upstream/circuit-breakers';
import { callUnpaid, UpstreamFailure } from '@/lib/platform/upstream/failure';
import { service } from '@/lib/services/service';
import { callDuffel } from './duffel/call-duffel';
import { duffelOffer } from './duffel/offer';
import { detailsOf } from './offer-details';

interface OfferDeps
  extends WithUpstream,
    Pick<Platform, 'settings' | 'clock' | 'timings' | 'log' | 'metrics'> {
  readonly offerLookups: FairLimit;
}

const timeoutMs = 30_000;
const busyRetrySeconds = 2;

const target = { provider: 'duffel', operation: offer.id } as const;

/**
 * Fetches the offer before the charge, because the request is free and an expired offer then costs nothing. Delivers
 * what was fetched.
 */
export const flightOffer = service(offer, {
  async admit(app: OfferDeps, _, caller) {
    app.circuitBreakers.refuseWhileOpen(target);
    if (!app.offerLookups.hasRoomFor(ownerOf(caller)))
      throw new ApiError('provider_unavailable', { retryAfterSeconds: busyRetrySeconds });
  },

  preparesWith: () => 'lookup',

  async prepare(app: OfferDeps, { id }, { now, countWork, ...caller }) {
    const lease = await app.offerLookups.enter(ownerOf(caller));
    if (!lease) throw new ApiError('provider_unavailable', { retryAfterSeconds: busyRetrySeconds });
    try {
      countWork(1);
      const found = await callUnpaid(app, target, () => fetchOffer(app, id), offerNotFound);
      return detailsOf(found, now);
    } finally {
      lease.release();
    }
  },

  async deliver(_app: OfferDeps, _, { prepared }) {
    return offer.output.parse(prepared);
  },
});

async function fetchOffer(app: OfferDeps, id: string) {
  const path = `/air/offers/${id}`;
  const { data } = await callDuffel(app, { method: 'GET', path, timeoutMs, hasCallersId: true });
  const parsed = duffelOffer.safeParse(data);
  if (!parsed.success) throw new UpstreamFailure('failed', 'unexpected_shape');
  return parsed.data;
}

/** Only the id is sent, so every rejection is about it. */
function offerNotFound(): ApiError {
  return new ApiError('offer_not_found');
}
