import { Types } from 'mppx/evm';
import type { Operation, RailName } from '@/lib/catalog/operation';
import type { Site } from '@/lib/discovery/site-config';
import { toAtomic } from '@/lib/payments/money';
import { isEvmOffer, type Offer } from '@/lib/payments/network-offers';

/** The networks of a rail. MPP has a method only for EVM networks. */
export function offersOf(rail: RailName, { offers }: Pick<Site, 'offers'>): readonly Offer[] {
  return rail === 'mpp' ? offers.filter(isEvmOffer) : offers;
}

/**
 * `x-payment-info` for two kinds of readers (docs/decisions/clients.md): `price` and `protocols` for agentcash and
 * x402scan, `offers` for MPP. Paths that are not paid over MPP have no offers. A brief document leaves out the description
 * of an offer, because its asset already identifies the network.
 */
export function paymentInfo(
  operation: Operation,
  rail: RailName,
  site: Pick<Site, 'offers'>,
  detail: 'full' | 'brief',
): object {
  const { variablePrice } = operation;
  const price = variablePrice
    ? { mode: 'dynamic', currency: 'USD', min: variablePrice.min, max: variablePrice.max }
    : { mode: 'fixed', currency: 'USD', amount: operation.price };
  if (rail === 'x402') return { price, protocols: [{ x402: {} }] };
  const { paymentMethod: method, chargeIntent: intent } = Types;
  const offers = offersOf(rail, site);
  return {
    price,
    protocols: offers.slice(0, 1).map(({ asset }) => ({ mpp: { method, intent, currency: asset } })),
    // An offer has no field for its chain (discovery draft 4.2), so its description names it.
    offers: offers.map(({ network, asset }) => ({
      intent,
      method,
      amount: toAtomic(operation.price).toString(),
      currency: asset,
      ...(detail === 'full' ? { description: `USDC on ${network.name} (${network.caip2})` } : {}),
    })),
  };
}
