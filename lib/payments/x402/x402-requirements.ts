import type { PaymentRequirements } from '@x402/core/types';
import { testFields } from '@/lib/catalog/test-service';
import { isSolanaOffer } from '@/lib/payments/network-offers';
import type { AvailableOffer } from '@/lib/payments/network-registry';
import type { PaymentFlow } from '@/lib/platform/upstream/availability';

/** How long the official client makes an authorization valid, in seconds (x402 section 3). */
export const maxTimeoutSeconds = 300;

/** An entry of `accepts`: the official fields, and the amount again as `amountUsdcAtomic`, which names its unit. */
export type OfferedRequirements = PaymentRequirements & { amountUsdcAtomic: string };

/** The requirements for a payment of this amount on this network. */
export function requirementsFor(offer: AvailableOffer, amountAtomic: bigint): OfferedRequirements {
  const amount = amountAtomic.toString();
  return {
    scheme: 'exact',
    network: offer.network.caip2,
    amount,
    amountUsdcAtomic: amount,
    asset: offer.asset,
    payTo: offer.payTo,
    maxTimeoutSeconds,
    extra: extraFor(offer),
  };
}

/**
 * An entry with its payment flow. `authorization` is said by leaving it out (specification section 6.1). Each scheme is offered
 * with one flow only, because clients would prefer the other entry.
 */
export function withFlow(entry: OfferedRequirements, flow: PaymentFlow): OfferedRequirements {
  return flow === 'authorization' ? entry : { ...entry, extra: { ...entry.extra, paymentFlow: flow } };
}

/** Whether a client accepted this payment flow, or one that is worse for it. Clients that do not know flows leave it out. */
export function acceptsFlow({ extra }: PaymentRequirements, flow: PaymentFlow): boolean {
  return [flow, 'upfront', undefined, null].includes(extra?.paymentFlow as PaymentFlow | undefined | null);
}

function extraFor(offer: AvailableOffer): Record<string, unknown> {
  const ofFamily = isSolanaOffer(offer)
    ? { name: 'USDC', mint: offer.asset, feePayer: offer.settler.feePayer }
    : offer.network.usdcDomain;
  return { ...ofFamily, ...testFields(offer.network.isTest) };
}

/** Whether the client accepted our offer, compared field by field. Only `extra` may contain more than we wrote. */
export function matchesOffer(accepted: PaymentRequirements, offered: OfferedRequirements): boolean {
  const sameFields =
    accepted.scheme === offered.scheme &&
    accepted.network === offered.network &&
    accepted.amount === offered.amount &&
    isSameAddress(accepted.network, accepted.asset, offered.asset) &&
    isSameAddress(accepted.network, accepted.payTo, offered.payTo) &&
    accepted.maxTimeoutSeconds === offered.maxTimeoutSeconds;
  const extra = accepted.extra ?? {};
  return (
    sameFields &&
    Object.entries(offered.extra).every(
      ([name, value]) => extra[name] === value || isSameAddress(accepted.network, extra[name], value),
    )
  );
}

/** Whether two values are the same address. On EVM networks, the letter case is a checksum that not every client keeps. */
function isSameAddress(network: string, one: unknown, other: unknown): boolean {
  if (one === other) return true;
  const isEvm = network.startsWith('eip155:') && typeof one === 'string' && /^0x[0-9a-f]{40}$/i.test(one);
  return isEvm && typeof other === 'string' && one.toLowerCase() === other.toLowerCase();
}
