import type { ChannelConfig } from '@x402/evm';
import type { Hex } from 'viem';
import { privateKeyToAddress } from 'viem/accounts';
import { toAtomic } from '@/lib/payments/money';
import { configuredOffers, type EvmNetwork, isEvmOffer, type Offer } from '@/lib/payments/network-offers';
import type { Settings } from '@/lib/platform/settings';

/** How long a payer must wait to withdraw, in seconds. This is our time to claim what was spent. */
export const withdrawDelaySeconds = 86_400;

/** The terms of channels with us. Payee, token, authorizer and delay are part of a channel's id. */
export interface ChannelTerms {
  readonly offer: Offer<EvmNetwork>;
  /** Whether payments are no longer accepted, and only claims and refunds continue. */
  readonly isClosing: boolean;
  /** Signs claims and refunds for us, and receives nothing. */
  readonly receiverAuthorizer: Hex;
  /** What clients are asked to deposit, which is also the minimum. Atomic USDC. */
  readonly depositMinAtomic: bigint;
  readonly depositMaxAtomic: bigint;
}

/** The config that a payer agrees to by paying through a channel with us. Its digest is the channel's id. */
export function configOf(
  { offer, receiverAuthorizer }: ChannelTerms,
  payer: string,
  salt: string,
): ChannelConfig {
  return {
    // Both were checksummed when they were read, so they start with 0x, as does the salt.
    payer: payer as Hex,
    payerAuthorizer: payer as Hex,
    // configuredOffers checksums both.
    receiver: offer.payTo as Hex,
    receiverAuthorizer,
    token: offer.asset as Hex,
    withdrawDelay: withdrawDelaySeconds,
    salt: salt as Hex,
  };
}

/** The terms that the operator has set; null while channels are off. */
export function configuredChannels(env: Settings): ChannelTerms | null {
  const { BATCH_SETTLEMENT: name, BATCH_AUTHORIZER_KEY: key } = env;
  const offer = configuredOffers(env).find(({ network }) => network.setting.toLowerCase() === name);
  // parseSettings rejects a network that is not configured, and channels without a key.
  if (!offer || !isEvmOffer(offer) || key === undefined) return null;
  return {
    offer,
    isClosing: env.BATCH_CLOSING,
    // parseSettings checks that it is 0x and 64 hex characters.
    receiverAuthorizer: privateKeyToAddress(key as Hex),
    depositMinAtomic: toAtomic(env.BATCH_DEPOSIT_USDC_MIN),
    depositMaxAtomic: toAtomic(env.BATCH_DEPOSIT_USDC_MAX),
  };
}
