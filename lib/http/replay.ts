import type { Operation } from '@/lib/catalog/operation';
import { ApiError } from '@/lib/errors/api-error';
import { type Earlier, type PaidCall, type StoredAnswer, sha256 } from '@/lib/ledger/paid-call';
import type { Payment } from '@/lib/payments/payment';
import { canBeginAgain } from './preparation';

/** What a signed request asks for, as far as recognizing it matters. */
export interface SignedRequest {
  readonly requestHash: Buffer;
  readonly idempotencyKey: string | null;
  readonly claimToken: string | null;
  readonly payment: Payment;
  /** Why the payment would not be taken for this request as it stands, before any chain is asked; null when it would. */
  readonly refusal: string | null;
}

/** The earlier call that a request repeats. */
export interface Recognition {
  readonly call: PaidCall;
  /** Whether the request proves that it comes from whoever made the call: only then may it have the answer. */
  readonly isProven: boolean;
}

/**
 * Decides whether a request repeats an earlier call and may have its answer (docs/decisions/claim-token.md). That the
 * payer signed something is not enough: it has to be the payment of that very call, or one that would be taken for this
 * request now. A payment is public once it was submitted, so the answer also takes the key or the claim token that the
 * call was first made with.
 * @returns null when the request is new, or its payment opens nothing
 * @throws ApiError idempotency_conflict or payment_already_used (409)
 */
export function recognizeReplay(earlier: Earlier, signed: SignedRequest): Recognition | null {
  const { byAuthorization: bound, byKey } = earlier;
  // A payment that never left the process bought nothing; what its payer has bought since under the key is the answer.
  const isSuperseded = bound !== null && byKey !== null && canBeginAgain(bound);
  if (bound && !isSuperseded) return byAuthorization(bound, signed);
  // Under one key a payment that would be taken now gets the first answer, and is not charged.
  if (!byKey || signed.refusal !== null) return null;
  if (!byKey.requestHash.equals(signed.requestHash)) throw new ApiError('idempotency_conflict');
  return { call: byKey, isProven: true };
}

function byAuthorization(call: PaidCall, signed: SignedRequest): Recognition | null {
  if (!isPaymentOf(call, signed.payment)) {
    // Signed with the same nonce, and for something else.
    if (signed.refusal !== null) return null;
    throw new ApiError('idempotency_conflict');
  }
  if (!call.requestHash.equals(signed.requestHash)) throw new ApiError('idempotency_conflict');
  // No answer will ever come of it that would have to be guarded.
  if (call.isRefusalFinal) return { call, isProven: true };
  if (signed.idempotencyKey !== null) {
    if (!call.idempotencyKeyHash?.equals(sha256(signed.idempotencyKey)))
      throw new ApiError('idempotency_conflict');
    return { call, isProven: true };
  }
  const holdsToken = signed.claimToken !== null && call.claimTokenHash?.equals(sha256(signed.claimToken));
  if (holdsToken) return { call, isProven: true };
  // Refused so far: whoever asks may know that, but not have what it may yet come to.
  if (call.state === 'refused') return { call, isProven: false };
  throw new ApiError('payment_already_used', { paidCallId: call.id });
}

/** Whether a payment is the one that a call was made with. */
export function isPaymentOf({ payment: own }: PaidCall, payment: Payment): boolean {
  const isSame =
    own.network === payment.network &&
    own.asset === payment.asset &&
    own.payer === payment.payer &&
    own.authorization === payment.authorization;
  // A nonce can be signed more than once, for different things; the hash of a Solana message covers all it does.
  const isSameTerms = own.payTo === payment.payTo && own.amountAtomic === payment.amountAtomic;
  return isSame && (isSameTerms || payment.signed.family !== 'evm');
}

/** An answer as it is given to a repetition that did not bring the caller's own Idempotency-Key. */
export function withoutSecrets(answer: StoredAnswer, { secretOutputs = [] }: Operation): StoredAnswer {
  if (secretOutputs.length === 0) return answer;
  const fields = Object.entries(JSON.parse(answer.body)).filter(([name]) => !secretOutputs.includes(name));
  return { ...answer, body: JSON.stringify(Object.fromEntries(fields)) };
}
