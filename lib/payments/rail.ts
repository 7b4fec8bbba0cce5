import type { Operation, RailName } from '@/lib/catalog/operation';
import type { ErrorCode } from '@/lib/errors/codes';
import type { Payment } from './payment';

/** What a rail may look at when it asks for payment. */
export interface ChallengeRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  /** The bytes that came along, bounded; throws ApiError body_too_large. Only a rail that binds them reads them. */
  body(): Promise<Uint8Array>;
}

/** A credential that was read and whose signer is proven; not yet judged. */
export interface RecognizedCredential {
  readonly payment: Payment;
  /**
   * The caller's own idempotency key when the credential itself carries one (x402's payment-identifier); null otherwise.
   */
  readonly idempotencyKey: string | null;
  /**
   * What proves, beside the payment, who asks: a secret that we issued in the 402 and that never reaches a chain. x402:
   * the claim token that the client echoed. MPP: the challenge id, of which only a hash becomes public. Null when none.
   */
  readonly claimToken: string | null;
  /** The digest that the body must have, in RFC 9530 form; null when the credential binds none. */
  readonly bodyDigest: string | null;
  /**
   * Whether the credential is good for this operation as it stands: amount, payee, asset, window, signature form. Null
   * when it is; otherwise a reason code.
   */
  readonly refusal: string | null;
}

/** What a payment header turned out to be. */
export type Credential =
  | { readonly kind: 'none' }
  | { readonly kind: 'unusable'; readonly reason: string }
  /** Something that came along with the payment breaks a rule of its own; nothing is verified, and nothing charged. */
  | { readonly kind: 'invalid'; readonly path: string; readonly rule: string }
  /** Nobody was named who could pay, or somebody without the right to. */
  | { readonly kind: 'unauthorized'; readonly code: Extract<ErrorCode, `account_token_${string}`> }
  | { readonly kind: 'recognized'; readonly credential: RecognizedCredential };

/** What a receipt is made from. */
export interface PaidFor {
  readonly payment: Payment;
  readonly transactionHash: string | null;
  readonly settledAt: Date;
  /** False when the payment was kept although the call failed. */
  readonly isDelivered: boolean;
}

/** A 402 as plain values, so that whoever sends it needs no more than it does. */
export interface ChallengeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One payment protocol: its headers on one side, values on the other. Knows neither the ledger nor what is sold. */
export interface Rail {
  readonly name: RailName;
  /** How this rail's callers are told that the outcome of a payment, or of the same request before, is open. */
  readonly codes: {
    readonly unknown: Extract<ErrorCode, 'settlement_unknown' | 'settlement_pending'>;
    readonly inProgress: Extract<ErrorCode, 'payment_in_progress' | 'settlement_pending'>;
  };
  /** Reads the payment headers of a request for an operation, and proves who pays. No chain. */
  read(operation: Operation, headers: Headers, now: Date): Credential | Promise<Credential>;
  /** The headers of an answer that was paid for. */
  receipt(credential: RecognizedCredential, paid: PaidFor): Record<string, string>;
}

/** A rail whose payments are signed in answer to a challenge. */
export interface ChallengingRail extends Rail {
  /** The 402 for an operation; with the reason when a payment was turned down. No database, no chain. */
  challenge(
    operation: Operation,
    challengeRequest: ChallengeRequest,
    reason: string | null,
  ): Promise<ChallengeAnswer>;
  /** Local work only: no database, no chain. */
  read(operation: Operation, headers: Headers, now: Date): Credential;
}

/** What is missing in an account. USDC, decimal. */
export interface Shortfall {
  readonly accountId: string;
  readonly balance: string;
  readonly price: string;
  readonly depositUrl: string;
}

/** A rail whose payments were made in advance: there is nothing to sign, only too little money. */
export interface PrepaidRail extends Rail {
  shortfall(operation: Operation, payer: string): Promise<Shortfall>;
}

export function isPrepaid(rail: ChallengingRail | PrepaidRail): rail is PrepaidRail {
  return 'shortfall' in rail;
}
