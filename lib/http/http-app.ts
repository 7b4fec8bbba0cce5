import type { CallsApp } from '@/lib/calls/calls-app';
import type { PausedOperations } from '@/lib/ledger/paused-operations';
import type { RateLimits } from './rate-limit';
import type { RefusalHistory } from './signed-work';
import type { Throttle } from './throttle';

/** What request handling needs from the app. */
export interface HttpApp extends CallsApp {
  readonly pausedOperations: PausedOperations;
  readonly throttle: Throttle;
  readonly rateLimits: RateLimits;
  /** Null when refused requests never slow down later ones. */
  readonly refusalHistory: RefusalHistory | null;
  /**
   * The header in which our listener passes the client's address to routes. Its name is random, so that no client can
   * send it.
   */
  readonly clientAddressHeader: string;
}
