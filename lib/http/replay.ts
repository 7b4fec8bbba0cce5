import type { Operation } from '@/lib/catalog/operation';
import { type Earlier, type PaidCall, type StoredAnswer, sha256 } from '@/lib/ledger/paid-call';
import { ApiError } from './api-error';
import { canBeginAgain } from './preparation';

/** What a signed request asks for, as far as recognising it matters. */
export interface Asked {
  readonly requestHash: Buffer;
  readonly idempotencyKey: string | null;
  readonly claimToken: string | null;
}

/**
 * Decides whether a request repeats an earlier call and may have its answer (DESIGN 3.3). The payer's signature is
 * proven by now; but a payment is public once it is settled, so the answer also takes the key or the claim token that
 * the call was first made with.
 * @returns the earlier call; null when the request is new
 * @throws ApiError idempotency_conflict or payment_already_used (409)
 */
export function recogniseReplay(earlier: Earlier, asked: Asked): PaidCall | null {
  const { byAuthorization: bound } = earlier;
  // A payment that never left the process bought nothing; what its payer has bought since under the key is the answer.
  const isSuperseded = bound !== null && earlier.byKey !== null && canBeginAgain(bound);
  if (bound && !isSuperseded) return byAuthorization(bound, asked);
  if (earlier.byKey) {
    // A fresh signature of the same payer under the same key: the answer costs nothing again.
    if (!earlier.byKey.requestHash.equals(asked.requestHash)) throw new ApiError('idempotency_conflict');
    return earlier.byKey;
  }
  return null;
}

function byAuthorization(call: PaidCall, asked: Asked): PaidCall {
  if (!call.requestHash.equals(asked.requestHash)) throw new ApiError('idempotency_conflict');
  // A refused call has no answer to guard: its payment may be tried again by whoever holds it.
  if (call.state === 'refused') return call;
  if (asked.idempotencyKey !== null) {
    if (!call.idempotencyKeyHash?.equals(sha256(asked.idempotencyKey)))
      throw new ApiError('idempotency_conflict');
    return call;
  }
  const holdsToken = asked.claimToken !== null && call.claimTokenHash?.equals(sha256(asked.claimToken));
  if (!holdsToken) throw new ApiError('payment_already_used', { paidCallId: call.id });
  return call;
}

/** An answer as it is given to a repetition that did not bring the caller's own Idempotency-Key (SPEC 4.7). */
export function withoutSecrets(answer: StoredAnswer, { secretOutputs = [] }: Operation): StoredAnswer {
  if (secretOutputs.length === 0) return answer;
  const fields = Object.entries(JSON.parse(answer.body)).filter(([name]) => !secretOutputs.includes(name));
  return { ...answer, body: JSON.stringify(Object.fromEntries(fields)) };
}
