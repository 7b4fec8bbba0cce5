import { createHash } from 'node:crypto';
import type { RailName } from '@/lib/catalog/operation';
import type { PaidCallState } from '@/lib/ledger/states';
import type { Payment } from '@/lib/payments/payment';

/** An answer as it was first given, for replays. */
export interface StoredAnswer {
  readonly status: number;
  /** The exact JSON text. */
  readonly body: string;
  /** Headers that belong to what was delivered; left out when there are none. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The signed receipt, a compact JWS; left out when there is none. */
  readonly receipt?: string;
}

/** Whether an answer reports a failure. Only a `kept` call stores one. */
export function isFailure(answer: StoredAnswer): boolean {
  return answer.status >= 400;
}

/** A paid call as the ledger has it, with its encrypted content opened. */
export interface PaidCall {
  readonly id: string;
  readonly operation: string;
  readonly rail: RailName;
  readonly state: PaidCallState;
  readonly payment: Payment;
  /** Chain head when the payment was accepted; 0 once the signed payment was erased. */
  readonly sinceHeight: bigint;
  /**
   * Whether a DATA_KEY opens its input, its prepared content and its answer. Any of these that no key opens is null here, so
   * the call can be neither charged nor delivered.
   */
  readonly isReadable: boolean;
  readonly requestHash: Buffer;
  /** For the receipt; null for a transfer that an operator booked, which belongs to no request. */
  readonly requestDigest: Buffer | null;
  readonly idempotencyKeyHash: Buffer | null;
  readonly claimTokenHash: Buffer | null;
  /** Null once the call is finished. */
  readonly input: unknown;
  /** What the service prepared before the charge; null when there is nothing, or the call is finished. */
  readonly prepared: unknown;
  readonly transactionHash: string | null;
  readonly refusalReason: string | null;
  /** Whether the call was refused and its authorization can never be used again. */
  readonly isRefusalFinal: boolean;
  /** Null before there is an answer, after it was erased, and when no DATA_KEY opens it. */
  readonly answer: StoredAnswer | null;
  readonly workedBy: string | null;
  /** When it entered its current state. */
  readonly movedAt: Date;
  /** A code: why it is in its state, or why a paid call is not delivered yet. Null when nothing went wrong. */
  readonly moveNote: string | null;
  /** Consecutive attempts of recovery that did not finish the call, including the one under way. */
  readonly attempts: number;
}

/** Secrets of callers are stored only as this hash. */
export function sha256(value: string): Buffer {
  return createHash('sha256').update(value).digest();
}

/** The earlier calls that a request may replay. */
export interface Earlier {
  /** The call that this authorization bought. */
  readonly byAuthorization: PaidCall | null;
  /** The call that the payer made under this idempotency key. */
  readonly byKey: PaidCall | null;
}
