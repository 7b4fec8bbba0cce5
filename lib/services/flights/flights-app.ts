import { FairSemaphore } from '@/lib/platform/concurrency/fair-semaphore';
import type { Platform } from '@/lib/platform/platform';
import type { ServiceApp } from '@/lib/services/service';

/** What the flight services need from the app. */
export interface FlightsApp extends ServiceApp {
  /** Look-ups happen before the payment, so they are limited to protect the provider's rate limit. */
  readonly offerLookups: FairSemaphore;
}

/** Limits an app's look-ups. */
export function openOfferLookups({ clock, timings }: Platform): FairSemaphore {
  return new FairSemaphore(clock, { size: 8, waitingMax: 64, waitMs: timings.waitForPlace.offerLookupMs });
}
