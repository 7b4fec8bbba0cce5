import { offer } from '@/lib/catalog/flights';
import { FairSemaphore, ownerOf } from '@/lib/concurrency/fair-semaphore';
import { ApiError } from '@/lib/errors/api-error';
import { processWide } from '@/lib/platform/process-wide';
import type { Service } from '@/lib/services/service';
import { askUnpaid, UpstreamFailure } from '@/lib/upstream/failure';
import { refuseWhileInTrouble } from '@/lib/upstream/trouble';
import { askDuffel } from './duffel/ask';
import { duffelOffer } from './duffel/offer';
import { detailsOf } from './offer-details';

const timeoutMs = 30_000;
const busyRetrySeconds = 2;

/** Look-ups are not paid for yet, so they are kept from using up what the provider takes of us in a moment. */
const lookups = () =>
  processWide('offer-lookups', () => new FairSemaphore({ size: 8, waitingMax: 64, waitMs: 8_000 }));

/**
 * Fetched before anything is charged: asking costs us nothing, so that an offer that is gone costs nobody
 * anything. What is delivered is what was fetched.
 */
export const flightOffer: Service<typeof offer> = {
  async admit(_, caller) {
    refuseWhileInTrouble('duffel');
    if (!lookups().hasRoomFor(ownerOf(caller)))
      throw new ApiError('provider_unavailable', { retryAfterSeconds: busyRetrySeconds });
  },

  preparesWith: () => 'lookup',

  async prepare({ id }, { now, countWork, ...caller }) {
    const lease = await lookups().enter(ownerOf(caller));
    if (!lease) throw new ApiError('provider_unavailable', { retryAfterSeconds: busyRetrySeconds });
    try {
      countWork(1);
      const found = await askUnpaid({ name: 'duffel' }, () => fetchOffer(id), offerNotFound);
      return detailsOf(found, now);
    } finally {
      lease.release();
    }
  },

  async deliver(_, { prepared }) {
    return offer.output.parse(prepared);
  },
};

async function fetchOffer(id: string) {
  const data = await askDuffel({ method: 'GET', path: `/air/offers/${id}`, timeoutMs });
  const parsed = duffelOffer.safeParse(data);
  if (!parsed.success) throw new UpstreamFailure('failed', 'unexpected_shape');
  return parsed.data;
}

/** All that is sent is the id, so that whatever is wrong is wrong with it. */
function offerNotFound(): ApiError {
  return new ApiError('offer_not_found');
}
