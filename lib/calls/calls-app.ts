import type { Payments } from '@/lib/payments/payments';
import type { ReceiptIssuer } from '@/lib/payments/receipts/issuer';
import type { ServicesApp } from '@/lib/services';
import type { CallResult } from './call-result';

/** What advancing a paid call needs from the app. */
export interface CallsApp extends ServicesApp {
  readonly payments: Payments;
  readonly receipts: ReceiptIssuer;
  /** The runs in this process by call, so that a second request for a call waits instead of advancing it too. */
  readonly callsAtWork: Map<string, Promise<CallResult>>;
}
