import type { Payments } from '@/lib/payments/payments';
import type { ServicesApp } from '@/lib/services';
import type { CallResult } from './advance-call';
import type { RateLimits } from './rate-limit';
import type { Standings } from './signed-work';
import type { Throttle } from './throttle';

/** What the answering of requests needs of the app. */
export interface HttpApp extends ServicesApp {
  readonly payments: Payments;
  readonly throttle: Throttle;
  readonly rateLimits: RateLimits;
  /** Null where nobody's requests wait for what their earlier ones came to. */
  readonly standings: Standings | null;
  /** The calls that are being worked on here, so that a second request for one waits instead of working too. */
  readonly callsAtWork: Map<string, Promise<CallResult>>;
  /** Whether requests come through our own listener, which says where each is from. Elsewhere a caller could. */
  readonly isBehindOurListener: boolean;
}
