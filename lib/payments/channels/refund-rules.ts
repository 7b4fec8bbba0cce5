import {
  type Channel,
  cumulativeMismatch,
  type PromisedRefund,
  type RefundRequest,
  refundingAtomic,
} from './book';

/** How long a payer must wait between two refunds, because each costs us a transaction. */
export const refundAgainMs = 86_400_000;

/**
 * The smallest refund of a part, and of a channel that has paid for no call, in atomic USDC. Less is not worth its gas. Anyone
 * who has seen a voucher in a claim can ask for a part, and a deposit that never bought anything costs nothing to make.
 */
export const refundAtLeast = 100_000n;

/**
 * How many refunds of channels that have paid for no call may be open at once on a network. Half of what the job sends in a
 * round, so that they never fill one.
 */
export const unusedRefundsMax = 10;

/** The reason code for a channel that has paid for no call and holds less than the smallest refund. */
const unusedTooSmall = 'refund_of_unused_channel_too_small';

/**
 * The decision on a refund request. `promised`: now, or by an identical earlier request. `busy`: too many refunds of channels
 * that have paid for no call are open.
 */
export type RefundDecision =
  | { readonly kind: 'promised'; readonly refund: PromisedRefund; readonly isNew: boolean }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'too_soon'; readonly until: Date }
  | { readonly kind: 'busy' };

const refused = (reason: string): RefundDecision => ({ kind: 'refused', reason });

/**
 * Decides a refund request. Spent funds are never refunded, and a payer gets one refund a day. A request that repeats the
 * last one within that day gets that refund's outcome, because the first answer may have been lost. A channel that has paid for
 * no call is not refunded for less than its gas is worth: its payer can withdraw without us.
 * @param lastAskedAt when the payer was last promised a refund from this or another channel; null when never
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
  if ((isPart && atomic < refundAtLeast) || (atomic !== null && atomic > leftAtomic))
    return refused('invalid_batch_settlement_evm_refund_amount_invalid');
  if (isUnused(channel) && leftAtomic < refundAtLeast) return refused(unusedTooSmall);
  if (lastAskedAt && lastAskedAt.getTime() > since) return { kind: 'too_soon', until: again(lastAskedAt) };
  const promised = { atomic: atomic ?? leftAtomic, number: refundNonce, askedAt: now };
  return { kind: 'promised', refund: promised, isNew: true };
}

/** Whether a channel has paid for no call. */
export function isUnused({ chargedAtomic }: Pick<Channel, 'chargedAtomic'>): boolean {
  return chargedAtomic === 0n;
}

/** Whether the promised refund already meets a request: it asks for the same amount, or for everything and nothing else is left. */
function isRepeated(
  refund: PromisedRefund,
  asked: { readonly atomic: bigint | null; readonly freeAtomic: bigint },
): boolean {
  return asked.atomic === null ? asked.freeAtomic <= 0n : asked.atomic === refund.atomic;
}

function again(askedAt: Date): Date {
  return new Date(askedAt.getTime() + refundAgainMs);
}
