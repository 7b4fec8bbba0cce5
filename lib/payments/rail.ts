import { createHash } from 'node:crypto';
import type { ErrorCode } from '@/lib/catalog/errors/codes';
import type { Operation, RailName } from '@/lib/catalog/operation';
import type { Payment } from './payment';

/** What a rail may use to make a challenge. */
export interface ChallengeRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  /**
   * The request body, up to the operation's limit. Throws ApiError body_too_large. Only rails that bind the body read
   * it.
   */
  body(): Promise<Uint8Array>;
  /** What to say to a request without a payment, instead of the usual words; omitted for those. */
  readonly hint?: string | undefined;
}

/** A parsed credential whose terms are not checked. Its signer is proven, unless it is a contract wallet (`isPayerProven`). */
export interface RecognizedCredential {
  readonly payment: Payment;
  /** The caller's idempotency key if the credential contains one (x402's payment-identifier). */
  readonly idempotencyKey: string | null;
  /**
   * A secret from the 402 that proves who sent the first request and never reaches a chain. x402: the claim token that
   * the client echoes. MPP: the challenge id; only a hash of it becomes public. Null when there is none.
   */
  readonly claimToken: string | null;
  /** The digest that the body must have, in RFC 9530 form; null when the credential binds no body. */
  readonly bodyDigest: string | null;
  /**
   * Why the credential does not pay for this operation (amount, payee, asset, validity window, signature form), as a
   * reason code; null when it does.
   */
  readonly refusal: string | null;
}

/** The result of reading the payment headers. */
export type Credential =
  | { readonly kind: 'none' }
  /** `isSigned`: it can be read as a payment, so the input of its request is validated before it is refused. */
  | { readonly kind: 'unusable'; readonly reason: string; readonly isSigned: boolean }
  /** Something sent with the payment is malformed. Nothing is verified or charged. */
  | { readonly kind: 'invalid'; readonly path: string; readonly rule: string }
  /** The account token is missing, wrong or revoked. */
  | { readonly kind: 'unauthorized'; readonly code: Extract<ErrorCode, `account_token_${string}`> }
  | { readonly kind: 'recognized'; readonly credential: RecognizedCredential };

/** What a receipt states. */
export interface PaidFor {
  readonly payment: Payment;
  readonly transactionHash: string | null;
  readonly settledAt: Date;
  /** The signed receipt, a compact JWS; null when there is none. */
  readonly signed: string | null;
  /** False when the payment was kept although the call failed. */
  readonly isDelivered: boolean;
}

/** Why a payment was rejected. */
export interface Rejection {
  readonly reason: string;
  /** The payment that was sent; omitted where it could not be read. */
  readonly payment?: Payment;
}

/** A 402 as plain values, so that a listener without the framework can send it too. */
export interface ChallengeAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** One payment protocol: translates between its headers and values. Knows neither the ledger nor the services. */
export interface Rail {
  readonly name: RailName;
  /** The rail's error codes for an unknown outcome, and for a request whose first attempt is still running. */
  readonly codes: {
    readonly unknown: Extract<ErrorCode, 'settlement_unknown' | 'settlement_pending'>;
    readonly inProgress: Extract<ErrorCode, 'payment_in_progress' | 'settlement_pending'>;
  };
  /** Reads the payment headers of a request, and verifies the payer where the signature alone proves it. Asks no chain. */
  read(operation: Operation, headers: Pick<Headers, 'get'>, now: Date): Credential | Promise<Credential>;
  /** The headers of a paid response. */
  receipt(
    credential: RecognizedCredential,
    paid: PaidFor,
  ): Record<string, string> | Promise<Record<string, string>>;
}

/** A rail whose payments are signed in answer to a challenge. */
export interface ChallengingRail extends Rail {
  /** The 402 for an operation. Uses no chain, and no database unless the scheme of a rejected payment tells its client what to sign instead. */
  challenge(
    operation: Operation,
    challengeRequest: ChallengeRequest,
    rejection: Rejection | null,
  ): Promise<ChallengeAnswer>;
  /** Uses no database and no chain. */
  read(operation: Operation, headers: Pick<Headers, 'get'>, now: Date): Credential;
}

/** An account's missing balance. USDC, decimal. */
export interface Shortfall {
  readonly accountId: string;
  readonly balance: string;
  readonly price: string;
  readonly depositUrl: string;
}

/** A rail that charges a prepaid account. It has no challenge to sign. */
export interface PrepaidRail extends Rail {
  shortfall(operation: Operation, payer: string): Promise<Shortfall>;
}

export type AnyRail = ChallengingRail | PrepaidRail;

export function isPrepaid(rail: AnyRail): rail is PrepaidRail {
  return 'shortfall' in rail;
}

/** The digest of a request body in RFC 9530 form. mppx writes another form, which RFC 9530 parsers reject. */
export function bodyDigest(body: Uint8Array): string {
  return `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
}

/** Path segments that can be part of a header as they were sent. */
const plainSegment = /^[\w.~%-]{1,200}$/;

/**
 * The `Link` header (RFC 8288) of a 402, which leads to the same call on the other protocol. None if there is no such path, or if
 * a parameter in this one is not fit for a header.
 */
export function twinLink(
  { paths }: Pick<Operation, 'paths'>,
  from: 'x402' | 'mpp',
  path: string,
): { Link?: string } {
  const [own, twin, title] =
    from === 'x402' ? ([paths.x402, paths.mpp, 'MPP'] as const) : ([paths.mpp, paths.x402, 'x402'] as const);
  if (own === undefined || twin === undefined) return {};
  const sent = path.split('/');
  const places = own.split('/');
  const segments = twin
    .split('/')
    .map((place) => (place.startsWith('{') ? (sent[places.indexOf(place)] ?? '') : place));
  if (!segments.slice(1).every((segment) => plainSegment.test(segment))) return {};
  return { Link: `<${segments.join('/')}>; rel="alternate"; title="${title}"` };
}

/** Headers of a response as the rails write them. */
export type ApiHeaders = Readonly<Record<string, string>>;
