import type { CallRuns } from '@/lib/calls/advance-call';
import type { CallStore } from '@/lib/calls/call-store';
import type { PausedOperations } from '@/lib/ledger/paused-operations';
import type { Payments } from '@/lib/payments/app-payments';
import type { ReceiptIssuer } from '@/lib/payments/receipts/receipt-issuer';
import type { ServicesApp } from '@/lib/services';
import type { DryRunService } from './dry-run';
import type { RateLimits } from './rate-limit';
import type { RefusalHistory } from './signed-work';
import type { Throttle } from './throttle';

/** Everything that request handlers need together. Each of them takes the few parts that it uses. */
export interface HttpApp extends ServicesApp {
  readonly payments: Payments;
  readonly receipts: ReceiptIssuer;
  readonly calls: CallStore;
  readonly runs: CallRuns;
  readonly findCallService: (operationId: string) => DryRunService | null;
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
