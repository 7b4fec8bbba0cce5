import { FairLimit } from '@/lib/platform/concurrency/fair-limit';
import type { Platform } from '@/lib/platform/platform';

/** Limits look-ups: they happen before the payment, and the provider limits how many it answers. */
export function openOfferLookups({ clock, timings }: Pick<Platform, 'clock' | 'timings'>): FairLimit {
  const patience = { clock, waitMs: timings.queueWait.offerLookupMs };
  return new FairLimit({ size: 8, waitingMax: 64, waitingOfPayerMax: 32, patience });
}
