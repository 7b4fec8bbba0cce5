/**
 * In atomic USDC. A smaller amount is not worth the gas of its own row in a claim, unless the payer is about to withdraw the
 * rest.
 */
export const claimWorthAtomic = 10_000n;

/**
 * The part of a channel's write-off that is still lost, in atomic USDC: once the payer deposits again, the contract can pay it
 * after all.
 */
const lostAmount =
  'LEAST(written_off_atomic, GREATEST(charged_atomic - GREATEST(claimed_atomic, balance_atomic), 0))';

/** What was spent through a channel and is neither claimed nor lost, in atomic USDC. */
export const unclaimedAmount = `charged_atomic - claimed_atomic - ${lostAmount}`;

/** The condition that this amount is more than zero. Its first half is the condition of the indexes. */
export const hasUnclaimed = `charged_atomic > claimed_atomic AND charged_atomic - claimed_atomic > ${lostAmount}`;

/**
 * The channels of calls in `needs_attention` whose prices are not claimed yet. No call is refunded before its price is claimed,
 * so these are claimed however small they are.
 */
export const ofCallsToRefund = `SELECT used.id FROM paid_call JOIN channel AS used ON used.id = channel_id
  WHERE state = 'needs_attention' AND split_part("authorization", ':', 2)::numeric > claimed_atomic`;
