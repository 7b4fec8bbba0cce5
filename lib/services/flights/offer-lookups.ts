import { FairSemaphore } from '@/lib/platform/concurrency/fair-semaphore';
import type { Platform } from '@/lib/platform/platform';

/** Limits look-ups: they happen before the payment, and the provider limits how many it answers. */
export function openOfferLookups({ clock, timings }: Pick<Platform, 'clock' | 'timings'>): FairSemaphore {
  return new FairSemaphore(clock, { size: 8, waitingMax: 64, waitMs: timings.queueWait.offerLookupMs });
}
