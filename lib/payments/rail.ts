import type { Operation, RailName } from '@/lib/catalog/operation';
import type { Payment } from './payment';

/** A credential that was read and whose signer is proven; not yet judged. */
export interface Recognised {
  readonly payment: Payment;
  /**
   * The caller's own idempotency key when the credential itself carries one (x402's payment-identifier); null otherwise.
   */
  readonly idempotencyKey: string | null;
  /** The claim token of our 402 that the client echoed, verified as ours; null when there is none. */
  readonly claimToken: string | null;
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
  | { readonly kind: 'recognised'; readonly credential: Recognised };

/** One payment protocol: its headers on one side, values on the other. Knows neither the ledger nor what is sold. */
export interface Rail {
  readonly name: RailName;
  /** The 402 for an operation at a path; with the reason when a payment was turned down. No database, no chain. */
  challenge(operation: Operation, path: string, reason?: string): Response;
  /** Reads the payment headers of a request for an operation. Local work only: no database, no chain. */
  read(operation: Operation, headers: Headers, now: Date): Credential;
  /** The headers of an answer that was paid for. */
  receipt(payment: Payment, transactionHash: string | null): Record<string, string>;
}
