import { dayMs } from './durations';

/** Payment channels: when the state of a channel is read from the chain again, and when it is too old to charge by. */
export const channelTimings = {
  renewAfterMs: 300_000,
  renewDoubtfulAfterMs: 2_000,
  refuseAfterMs: 21_600_000,
  /** How often the contract's events are read, and due claims are sent. */
  collectMs: 30_000,
  /** How long a small amount stays unclaimed after its channel was last used. */
  claimAfterMs: 21_600_000,
  /** How long a claim may take to get into a block before it is sent again. */
  claimAgainAfterMs: 600_000,
  /** The same for a refund, because its payer waits for it. */
  refundAgainAfterMs: 60_000,
  /** How long a channel must be unused before somebody who may not be its payer gets it refunded. */
  refundUnusedAfterMs: 600_000,
  /** How long a channel must be unused before the rest is paid back. */
  refundIdleAfterMs: 30 * dayMs,
  /** How long a request waits for the block of its refund, and how often it checks. */
  refundWaitMs: 20_000,
  refundPollMs: 500,
};
