import type { PaymentPayload } from '@x402/core/types';
import type { Operation } from '@/lib/catalog/operation';
import type { Payment } from './payment';
import type { SchemeSettler } from './settlers';
import type { OfferedRequirements } from './x402/x402-requirements';

/** A payment, and why it does not pay for the operation; null when it does, as far as is known without asking the chain. */
export interface ReadPayment {
  readonly payment: Payment;
  readonly refusal: string | null;
}

/** A scheme of x402 beside `exact`. */
export interface X402Scheme {
  /** The name of the scheme in `accepted`. */
  readonly name: string;
  /** Its entry in the challenges of an operation; null while there is none. The networks' `version` tells of changes. */
  offer(operation: Operation): OfferedRequirements | null;
  /** Reads a payment of this scheme. @returns a reason code when it cannot be one */
  read(operation: Operation, payload: PaymentPayload, now: Date): ReadPayment | string;
  /** The only entry of a 402 that tells the client what to sign instead; null where the usual 402 says it. */
  correct(operation: Operation, rejected: Payment, reason: string): Promise<OfferedRequirements | null>;
  /**
   * The fields of a receipt that depend on the scheme.
   * @param sent the payment that came with this request
   * @param paid the payment of the call, which an earlier request may have made
   */
  receipt(
    sent: Payment,
    paid: Payment,
  ): Promise<{ readonly amount: string; readonly extra: Record<string, unknown> }>;
}

/** Work that an app repeats. */
interface RepeatedTask {
  readonly name: string;
  readonly everyMs: number;
  run(): Promise<void>;
}

/** An optional way to pay: its scheme, what charges its payments, and what has to be done for it. */
export interface PaymentFeature {
  readonly scheme: X402Scheme;
  /** Whether it takes this payment. */
  takes(payment: Payment): boolean;
  /** Charges its payments; null when they are no longer accepted. */
  readonly settler: SchemeSettler | null;
  isOffered(): boolean;
  /** Decides whether it is offered, at start and at intervals. Never rejects. */
  check(): Promise<void>;
  /** Checks again after a payment failed that nothing on its network stops. @returns whether it is withdrawn */
  isWithdrawnAfterFailure(): Promise<boolean>;
  readonly tasks: readonly RepeatedTask[];
}
