import { dayMs } from '@/lib/platform/durations';
import {
  type Channel,
  cumulativeMismatch,
  type PromisedRefund,
  type RefundRequest,
  refundingAtomic,
} from './channel';

/** How long a payer must wait between two refunds, because each costs us a transaction. */
export const refundAgainMs = dayMs;

/**
 * The smallest refund of a part, and of a channel that has not earned its refund, in atomic USDC. Less is not worth its gas.
 * Anyone who has seen a voucher in a claim can ask for a part.
 */
export const refundAtLeast = 100_000n;

/** What a channel has to have paid for calls to earn each of its refunds, in atomic USDC: about what one costs us in gas. */
export const paidForEachRefund = 5_000n;

/**
 * How many refunds that are not earned may be open at once on a network, and how many may be promised in an hour. Half of what the
 * job sends in a round, so that they never fill one, and as much gas as accounts with code may waste.
 */
export const unearnedRefundsMax = { open: 10, perHour: 60 } as const;

/** The reason code for a channel that has not earned its refund and holds less than the smallest one. */
const unearnedTooSmall = 'refund_of_unused_channel_too_small';

/** Why a refund has to wait. */
export type RefundWait =
  /** The payer had a refund a moment ago. */
  | 'daily'
  /** The channel is in use, and somebody other than its payer may have asked. */
  | 'in_use'
  /** Too many refunds that are not earned were promised. */
  | 'unearned';

/**
 * The decision on a refund request. `promised`: now, or by an identical earlier request. `busy`: too many refunds that are not
 * earned are open.
 */
export type RefundDecision =
  | { readonly kind: 'promised'; readonly refund: PromisedRefund; readonly isNew: boolean }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'too_soon'; readonly until: Date; readonly because: RefundWait }
  | { readonly kind: 'busy' };

const refused = (reason: string): RefundDecision => ({ kind: 'refused', reason });

/** What is known about a request besides its channel. */
export interface RefundFacts {
  /** When the payer was last promised a refund from this or another channel that nobody else can have asked for; null when never. */
  readonly payerRequestedAt: Date | null;
  /** Whether the voucher of the request is public, so that anybody can have sent it. */
  readonly isPublic: boolean;
  /** When a public voucher no longer closes a channel that is in use; in the past when the channel is not used. */
  readonly unusedFrom: Date;
}

/**
 * Decides a refund request. Spent funds are never refunded, and a payer gets one refund a day. A request that repeats the
 * last one within that day gets that refund's outcome, because the first answer may have been lost. A channel that has not paid
 * for the gas of its refunds is not refunded for less than that is worth: its payer can withdraw without us.
 *
 * A claim shows the newest voucher to everybody. Until the channel's next call, a stranger can send it too, so it never closes a
 * channel that is in use, and does not use up the payer's refund of the day. The payer can always get the money: at once with
 * the voucher of another call, which nobody else knows, or with the same one once the channel is not used.
 */
export function decideRefund(
  channel: Channel,
  { totalAtomic, atomic }: RefundRequest,
  { payerRequestedAt, isPublic, unusedFrom }: RefundFacts,
  now: Date,
): RefundDecision {
  const { chargedAtomic, claimedAtomic, balanceAtomic, refundNonce, refund } = channel;
  if (totalAtomic !== chargedAtomic || claimedAtomic > chargedAtomic) return refused(cumulativeMismatch);
  const leftAtomic = balanceAtomic - chargedAtomic;
  const freeAtomic = leftAtomic - refundingAtomic(channel);
  const isRecent = (at: Date | null | undefined) => !!at && at.getTime() > now.getTime() - refundAgainMs;
  if (refund && isRepeated(refund, { atomic, freeAtomic }) && isRecent(refund.requestedAt))
    return { kind: 'promised', refund, isNew: false };
  if (leftAtomic <= 0n) return refused('invalid_batch_settlement_evm_refund_no_balance');
  if (refund && refund.number >= refundNonce) return again(refund.requestedAt);
  const isPart = atomic !== null && atomic < leftAtomic;
  if ((isPart && atomic < refundAtLeast) || (atomic !== null && atomic > leftAtomic))
    return refused('invalid_batch_settlement_evm_refund_amount_invalid');
  if (!isEarned(channel) && leftAtomic < refundAtLeast) return refused(unearnedTooSmall);
  if (isPublic && unusedFrom > now) return { kind: 'too_soon', until: unusedFrom, because: 'in_use' };
  const lastRequestedAt = isPublic ? refund?.requestedAt : payerRequestedAt;
  if (lastRequestedAt && isRecent(lastRequestedAt)) return again(lastRequestedAt);
  const promised = { atomic: atomic ?? leftAtomic, number: refundNonce, requestedAt: now };
  return { kind: 'promised', refund: promised, isNew: true };
}

/** Whether a channel has paid for its next refund as well as for those before. */
export function isEarned({
  chargedAtomic,
  refundNonce,
}: Pick<Channel, 'chargedAtomic' | 'refundNonce'>): boolean {
  return chargedAtomic >= (refundNonce + 1n) * paidForEachRefund;
}

/** Whether a request may be promised a refund that is not earned, so that it has to be counted for its client. */
export function mayBeUnearned(channel: Channel, { totalAtomic }: RefundRequest, now: Date): boolean {
  const { chargedAtomic, balanceAtomic, refund } = channel;
  const isRepeated = refund !== null && refund.requestedAt.getTime() > now.getTime() - refundAgainMs;
  const isRefused = totalAtomic !== chargedAtomic || balanceAtomic - chargedAtomic < refundAtLeast;
  return !isEarned(channel) && !isRepeated && !isRefused;
}

/** Whether the promised refund already meets a request: it asks for the same amount, or for everything and nothing else is left. */
function isRepeated(
  refund: PromisedRefund,
  requested: { readonly atomic: bigint | null; readonly freeAtomic: bigint },
): boolean {
  return requested.atomic === null ? requested.freeAtomic <= 0n : requested.atomic === refund.atomic;
}

function again(requestedAt: Date): RefundDecision {
  return { kind: 'too_soon', until: new Date(requestedAt.getTime() + refundAgainMs), because: 'daily' };
}
