import { testFields } from '@/lib/catalog/test-service';
import { maxTimeoutSeconds, type OfferedRequirements } from '@/lib/payments/x402/x402-requirements';
import { type ChannelTerms, withdrawDelaySeconds } from './channel-terms';

/** The name of x402's scheme for payment channels. */
export const channelScheme = 'batch-settlement';

/** The highest price that channels are offered for. For more expensive calls, the gas of a separate payment hardly matters. */
const channelPriceMaxAtomic = 15_000n;

/**
 * The requirements for a payment through a channel.
 * @returns null for amounts that channels are not offered for
 */
export function channelRequirementsFor(
  { offer, receiverAuthorizer, depositMinAtomic }: ChannelTerms,
  amountAtomic: bigint,
): OfferedRequirements | null {
  if (amountAtomic > channelPriceMaxAtomic) return null;
  const { network } = offer;
  const amount = amountAtomic.toString();
  return {
    scheme: channelScheme,
    network: network.caip2,
    amount,
    amountUsdcAtomic: amount,
    asset: offer.asset,
    payTo: offer.payTo,
    maxTimeoutSeconds,
    extra: {
      ...network.usdcDomain,
      receiverAuthorizer,
      withdrawDelay: withdrawDelaySeconds,
      minDeposit: depositMinAtomic.toString(),
      ...testFields(network.isTest),
    },
  };
}
