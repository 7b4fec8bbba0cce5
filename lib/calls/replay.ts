import { ApiError } from '@/lib/catalog/errors/api-error';
import type { Operation } from '@/lib/catalog/operation';
import { unmatchedTransfer } from '@/lib/ledger/states';
import type { EvmSigned } from '@/lib/payments/evm/evm-signed';
import { onlyNetworkOf, type Payment, type Signed } from '@/lib/payments/payment';
import { type Earlier, type PaidCall, type StoredAnswer, sha256 } from './paid-call';
import { canRestart } from './preparation';

/** The parts of a signed request that identify a retry. */
export interface SignedRequest {
  readonly requestHash: Buffer;
  readonly idempotencyKey: string | null;
  readonly claimToken: string | null;
  readonly payment: Payment;
  /** Why the payment is not valid for this request, without asking the chain; null when it may be. */
  readonly refusal: string | null;
}

/** The earlier call that a request is a retry of. */
export interface Recognition {
  readonly call: PaidCall;
  /** Whether the request proves that its sender made the call. Only then may it have the answer. */
  readonly isProven: boolean;
}

/**
 * Decides whether a request is a retry of an earlier call and may have its answer (docs/decisions/replay.md). The
 * payer's signature alone is not enough: it must be the payment of that call, or one that is valid for this request. A
 * submitted payment is public, so the retry must also bring the idempotency key or the claim token of the first
 * request.
 * @param isPrivate whether only its payer can know the payment
 * @returns null when the request is new, or its payment gives access to nothing
 * @throws ApiError idempotency_conflict or payment_already_used (409)
 */
export function recognizeReplay(
  earlier: Earlier,
  signed: SignedRequest,
  isPrivate = false,
): Recognition | null {
  const { byAuthorization: bound, byKey } = earlier;
  // A payment that was never submitted bought nothing. If its payer has made another call under this key since, that
  // call counts.
  const isSuperseded = bound !== null && byKey !== null && canRestart(bound);
  if (bound && !isSuperseded) return byAuthorization(bound, signed, isPrivate);
  // A new valid payment under the same key gets the first answer, and is not charged.
  if (!byKey || signed.refusal !== null) return null;
  if (!isOfSameOwner(byKey, signed.payment) || !byKey.requestHash.equals(signed.requestHash))
    throw new ApiError('idempotency_conflict');
  return { call: byKey, isProven: true };
}

/**
 * Whether the payer of a call certainly owns another payment from the same address. An address with a key has no other
 * owner, so only the new payment matters: if only a contract has proven it, the call must be on the same network.
 */
function isOfSameOwner(call: PaidCall, payment: Payment): boolean {
  const onlyOn = onlyNetworkOf(payment);
  return onlyOn === null || call.payment.network === onlyOn;
}

function byAuthorization(call: PaidCall, signed: SignedRequest, isPrivate: boolean): Recognition | null {
  if (!isPaymentOf(call, signed.payment)) {
    // The same nonce, signed for something else.
    if (signed.refusal !== null) return null;
    throw new ApiError('idempotency_conflict');
  }
  // An operator found the payment on the chain and recorded it. The caller gets the id of that record, not an answer to
  // this request.
  if (call.operation === unmatchedTransfer)
    throw new ApiError('payment_already_used', { paidCallId: call.id });
  if (!call.requestHash.equals(signed.requestHash)) {
    // A client that is out of sync signs a channel total that stands for another call. It is told the state of the
    // channel.
    if (call.payment.channelId !== undefined) return null;
    throw new ApiError('idempotency_conflict');
  }
  const holdsKey =
    signed.idempotencyKey !== null && call.idempotencyKeyHash?.equals(sha256(signed.idempotencyKey)) === true;
  const holdsToken =
    signed.claimToken !== null && call.claimTokenHash?.equals(sha256(signed.claimToken)) === true;
  // Its key is free again. It has no answer to protect, unless a reorganization took its payment after it was answered.
  if (call.isRefusalFinal)
    return { call, isProven: call.answer === null || holdsKey || holdsToken || isPrivate };
  if (signed.idempotencyKey !== null && !holdsKey) throw new ApiError('idempotency_conflict');
  if (holdsKey || holdsToken || isPrivate) return { call, isProven: true };
  // The refusal may be reported, but not a later answer.
  if (call.state === 'refused') return { call, isProven: false };
  throw new ApiError('payment_already_used', { paidCallId: call.id });
}

/**
 * Whether a request carries the very signature that a call was made with. The chain accepted that signature for its
 * payer when the call was made, so it proves as much as a key's. An erased payment leaves nothing to compare, and no
 * answer to protect. The authorization of a smart wallet is its whole message, whose signatures have been verified.
 */
export function carriesSignatureOf({ payment: own }: PaidCall, payment: Payment): boolean {
  return own.signed.family === 'solana'
    ? own.authorization === payment.authorization
    : isSameCredential(own.signed, payment.signed);
}

function isSameCredential(own: Signed, signed: Signed): boolean {
  if (own.family === 'erased') return true;
  return own.family === 'evm' && signed.family === 'evm' && credentialText(own) === credentialText(signed);
}

/** Everything that was signed, and the signature. */
function credentialText({ authorization, signature }: EvmSigned): string {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  return [from, to, value, validAfter, validBefore, nonce, signature].join(' ').toLowerCase();
}

/** Whether a payment is the one that a call was made with. */
export function isPaymentOf({ payment: own }: PaidCall, payment: Payment): boolean {
  const isSame =
    own.network === payment.network &&
    own.asset === payment.asset &&
    own.payer === payment.payer &&
    own.authorization === payment.authorization;
  // An EVM nonce can be signed twice for different terms. The hash of a Solana message covers all terms.
  const isSameTerms = own.payTo === payment.payTo && own.amountAtomic === payment.amountAtomic;
  return isSame && (isSameTerms || payment.signed.family !== 'evm');
}

/** The answer for a retry without the caller's own Idempotency-Key. */
export function withoutSecrets(answer: StoredAnswer, { secretOutputs = [] }: Operation): StoredAnswer {
  if (secretOutputs.length === 0) return answer;
  const fields = Object.entries(JSON.parse(answer.body)).filter(([name]) => !secretOutputs.includes(name));
  return { ...answer, body: JSON.stringify(Object.fromEntries(fields)) };
}
