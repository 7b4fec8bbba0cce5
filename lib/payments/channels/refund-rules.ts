import {
  type Channel,
  cumulativeMismatch,
  type PromisedRefund,
  type RefundRequest,
  refundingAtomic,
} from './book';

/** How often a payer may ask for a refund: each costs us a transaction. */
export const refundAgainMs = 86_400_000;

/** A part of what is left, in atomic USDC: less is not worth its gas, and anybody can ask who has seen a voucher in a claim. */
const partAtLeast = 100_000n;

/** What becomes of a request for a refund. `promised`: now, or by an earlier request that was the same. */
export type RefundDecision =
  | { readonly kind: 'promised'; readonly refund: PromisedRefund; readonly isNew: boolean }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'too_soon'; readonly until: Date };

const refused = (reason: string): RefundDecision => ({ kind: 'refused', reason });

/**
 * Decides about a request for a refund. What was spent is never paid back, and a payer gets one refund a day. A request that
 * repeats the last one within that day is told what became of it: its answer may have been lost.
 * @param lastAskedAt when the payer was last promised a refund, of this channel or another one; null when never
 */
export function decideRefund(
  channel: Channel,
  { totalAtomic, atomic }: RefundRequest,
  lastAskedAt: Date | null,
  now: Date,
): RefundDecision {
  const { chargedAtomic, claimedAtomic, balanceAtomic, refundNonce, refund } = channel;
  if (totalAtomic !== chargedAtomic || claimedAtomic > chargedAtomic) return refused(cumulativeMismatch);
  const leftAtomic = balanceAtomic - chargedAtomic;
  const freeAtomic = leftAtomic - refundingAtomic(channel);
  const since = now.getTime() - refundAgainMs;
  if (refund && isRepeated(refund, { atomic, freeAtomic }) && refund.askedAt.getTime() > since)
    return { kind: 'promised', refund, isNew: false };
  if (leftAtomic <= 0n) return refused('invalid_batch_settlement_evm_refund_no_balance');
  if (refund && refund.number >= refundNonce) return { kind: 'too_soon', until: again(refund.askedAt) };
  const isPart = atomic !== null && atomic < leftAtomic;
  if ((isPart && atomic < partAtLeast) || (atomic !== null && atomic > leftAtomic))
    return refused('invalid_batch_settlement_evm_refund_amount_invalid');
  if (lastAskedAt && lastAskedAt.getTime() > since) return { kind: 'too_soon', until: again(lastAskedAt) };
  const promised = { atomic: atomic ?? leftAtomic, number: refundNonce, askedAt: now };
  return { kind: 'promised', refund: promised, isNew: true };
}

/** Whether a request is met by the refund that was promised: the same amount, or everything and nothing else is left. */
function isRepeated(
  refund: PromisedRefund,
  asked: { readonly atomic: bigint | null; readonly freeAtomic: bigint },
): boolean {
  return asked.atomic === null ? asked.freeAtomic <= 0n : asked.atomic === refund.atomic;
}

function again(askedAt: Date): Date {
  return new Date(askedAt.getTime() + refundAgainMs);
}
