import { FairSemaphore } from '@/lib/concurrency/fair-semaphore';
import type { ServiceApp } from '@/lib/services/service';

/** What the flight services need of the app. */
export interface FlightsApp extends ServiceApp {
  /** Look-ups are not paid for yet, so they are kept from using up what the provider takes of us in a moment. */
  readonly offerLookups: FairSemaphore;
}

/** The look-ups of an app. */
export function openOfferLookups(): FairSemaphore {
  return new FairSemaphore({ size: 8, waitingMax: 64, waitMs: 8_000 });
}
