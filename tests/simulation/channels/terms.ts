import { type ChannelTerms, withdrawDelaySeconds } from '@/lib/payments/channels/channel-terms';
import type { EvmNetwork, Offer } from '@/lib/payments/network-offers';
import { productionTimings, type Timings } from '@/lib/platform/timings';
import { Account } from '../evm/accounts';

/** How many times as fast as elsewhere the delay of a withdrawal passes, so that a history can wait for its end. */
export const withdrawalSpeed = 1_440;
/** The delay of a withdrawal in a history. */
export const withdrawDelayMs = (withdrawDelaySeconds * 1_000) / withdrawalSpeed;

/** Signs claims and refunds for us. */
export const authorizer = new Account('authorizer of channels');

/** What production waits for hours and days, a history does within a minute. */
export const channelTimings: Timings['channels'] = {
  ...productionTimings.channels,
  ...{ renewAfterMs: 10_000, refuseAfterMs: withdrawDelayMs / 4, collectMs: 4_000 },
  ...{ claimAfterMs: 8_000, claimAgainAfterMs: 12_000, refundAgainAfterMs: 10_000 },
  ...{ refundUnusedAfterMs: 10_000, refundIdleAfterMs: 45_000, refundWaitMs: 6_000, refundPollMs: 1_000 },
};

/** The terms of channels with us. @param price of a call, in atomic USDC */
export function termsOf(offer: Offer<EvmNetwork>, price: bigint, isClosing: boolean): ChannelTerms {
  const deposits = { depositMinAtomic: 2n * price, depositMaxAtomic: 6n * price };
  return { offer, isClosing, receiverAuthorizer: authorizer.address, ...deposits };
}
