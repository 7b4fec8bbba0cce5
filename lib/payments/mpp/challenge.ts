import { Challenge } from 'mppx';
import { Types } from 'mppx/evm';
import type { Operation } from '@/lib/catalog/operation';
import type { AvailableOffer } from '@/lib/payments/desk';
import { toAtomic } from '@/lib/payments/money';
import { isEvmOffer } from '@/lib/payments/networks';

/** How long a challenge can be answered. */
export const challengeSeconds = 300;

/** Who asks for payment: the fixed realm, and the secrets that bind ids, newest first. */
export interface Realm {
  readonly name: string;
  readonly secrets: readonly [string, ...string[]];
}

/** The offers that MPP has a method for. */
export function chargeOffers(offers: readonly AvailableOffer[]): AvailableOffer[] {
  return offers.filter(isEvmOffer);
}

/** The `request` of a challenge (EVM charge 4.2): what has to be transferred, to whom, on which chain. */
export function chargeRequest(operation: Operation, offer: AvailableOffer) {
  if (!isEvmOffer(offer)) throw new Error('MPP charges on EVM networks only');
  return {
    amount: toAtomic(operation.price).toString(),
    currency: offer.asset,
    recipient: offer.payTo,
    methodDetails: {
      chainId: offer.network.chainId,
      credentialTypes: [...Types.credentialTypes],
      decimals: 6,
    },
  };
}

/** What a challenge says beyond its price: that it is for this operation. The client returns it unchanged. */
export function opaqueFor(operation: Operation): Record<string, string> {
  return { operation: operation.id };
}

/** A challenge for an operation on one network, its id bound to everything in it (core 2.4). */
export function challengeFor(
  operation: Operation,
  offer: AvailableOffer,
  realm: Realm,
  { digest, now }: { digest: string | null; now: Date },
): Challenge.Challenge {
  return Challenge.from({
    realm: realm.name,
    method: Types.paymentMethod,
    intent: Types.chargeIntent,
    request: chargeRequest(operation, offer),
    expires: new Date(now.getTime() + challengeSeconds * 1000).toISOString(),
    meta: opaqueFor(operation),
    ...(digest === null ? {} : { digest }),
    secretKey: realm.secrets[0],
  });
}
