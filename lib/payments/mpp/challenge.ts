import { createHmac, randomBytes } from 'node:crypto';
import { type Challenge, PaymentRequest } from 'mppx';
import { Types } from 'mppx/evm';
import { z } from 'zod';
import type { Operation } from '@/lib/catalog/operation';
import { toAtomic, usdcDecimals } from '@/lib/payments/money';
import type { AvailableOffer } from '@/lib/payments/network-registry';
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
function chargeRequest(operation: Operation, offer: AvailableOffer) {
  if (!isEvmOffer(offer)) throw new Error('MPP charges on EVM networks only');
  return {
    amount: toAtomic(operation.price).toString(),
    currency: offer.asset,
    recipient: offer.payTo,
    methodDetails: {
      chainId: offer.network.chainId,
      credentialTypes: [...Types.credentialTypes],
      decimals: usdcDecimals,
    },
  };
}

const serializedRequests = new WeakMap<AvailableOffer, Map<string, string>>();

/** `request` as the header carries it; it depends on nothing but operation and network, so it is made once. */
export function serializedRequest(operation: Operation, offer: AvailableOffer): string {
  const ofOffer = serializedRequests.get(offer) ?? new Map<string, string>();
  serializedRequests.set(offer, ofOffer);
  const request = ofOffer.get(operation.id) ?? PaymentRequest.serialize(chargeRequest(operation, offer));
  ofOffer.set(operation.id, request);
  return request;
}

const opaqueSchema = z.object({ operation: z.string() });

/**
 * What a challenge says beyond its price: that it is for this operation; and a salt, because everything else may be the
 * same for two requests in one millisecond, and one wallet that answered both would have signed a single payment.
 */
function newOpaque(operation: Operation): string {
  const json = `{"operation":${JSON.stringify(operation.id)},"salt":"${randomBytes(12).toString('base64url')}"}`;
  return Buffer.from(json).toString('base64url');
}

/** The operation that a challenge of ours was issued for; null when it says none. */
export function operationOf(challenge: Challenge.Challenge): string | null {
  if (challenge.opaque === undefined) return null;
  try {
    return opaqueSchema.parse(PaymentRequest.deserialize(challenge.opaque)).operation;
  } catch {
    return null;
  }
}

/**
 * The WWW-Authenticate value of a challenge for an operation on one network, its id bound to everything in it (core 2.4).
 * Written here instead of by mppx, at a tenth of the cost, because this is what a flood asks for; a test holds it against
 * what mppx reads, verifies and writes.
 */
export function writeChallenge(
  operation: Operation,
  offer: AvailableOffer,
  realm: Realm,
  { digest, now }: { digest: string | null; now: Date },
): string {
  const request = serializedRequest(operation, offer);
  const expires = new Date(now.getTime() + challengeSeconds * 1000).toISOString();
  const opaque = newOpaque(operation);
  const { paymentMethod: method, chargeIntent: intent } = Types;
  const id = createHmac('sha256', realm.secrets[0])
    .update([realm.name, method, intent, request, expires, digest ?? '', opaque].join('|'))
    .digest('base64url');
  const digestPart = digest === null ? '' : ` digest="${digest}",`;
  return `Payment id="${id}", realm=${quoted(realm.name)}, method="${method}", intent="${intent}", request="${request}",${digestPart} expires="${expires}", opaque="${opaque}"`;
}

/** A quoted-string of HTTP (RFC 9110 section 5.6.4). */
function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}
