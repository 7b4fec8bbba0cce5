/** In atomic USDC: less is not worth the gas of a row of its own, unless the payer is about to take the rest away. */
export const claimWorthAtomic = 10_000n;

/** What is written off of a channel and lost: once its payer deposits again, the contract can pay it after all. In atomic USDC. */
const lostAmount =
  'LEAST(written_off_atomic, GREATEST(charged_atomic - GREATEST(claimed_atomic, balance_atomic), 0))';

/** What was spent of a channel, and is neither claimed nor lost, in atomic USDC. */
export const unclaimedAmount = `charged_atomic - claimed_atomic - ${lostAmount}`;

/** The condition that it is more than nothing. Its first half is that of the indexes. */
export const hasUnclaimed = `charged_atomic > claimed_atomic AND charged_atomic - claimed_atomic > ${lostAmount}`;

/**
 * The channels with calls that only a refund can end, whose prices are not claimed. No call is refunded before, however little it
 * is worth.
 */
export const ofCallsToRefund = `SELECT used.id FROM paid_call JOIN channel AS used ON used.id = channel_id
  WHERE state = 'needs_attention' AND split_part("authorization", ':', 2)::numeric > claimed_atomic`;
