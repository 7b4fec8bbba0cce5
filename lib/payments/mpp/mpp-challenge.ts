import { createHmac } from 'node:crypto';
import { type Challenge, PaymentRequest } from 'mppx';
import { Types } from 'mppx/evm';
import { z } from 'zod';
import type { Operation } from '@/lib/catalog/operation';
import { testNotice } from '@/lib/catalog/test-service';
import { toAtomic, usdcDecimals } from '@/lib/payments/money';
import { isEvmOffer } from '@/lib/payments/network-offers';
import type { AvailableEvmOffer, AvailableOffer } from '@/lib/payments/network-registry';
import { takeRandomBytes } from '@/lib/platform/ids';

/** How long a challenge is valid. */
export const challengeSeconds = 300;

/** The realm of challenges, the secrets that sign their ids, newest first, and the header that they ask the credential in. */
export interface Realm {
  readonly name: string;
  readonly secrets: readonly [string, ...string[]];
  readonly credentialHeader: CredentialHeader;
}

/** The headers that a challenge can select (draft-httpauth-payment-01, `header`). `Authorization` is selected by leaving it out. */
export const credentialHeaders = ['Authorization', 'Payment-Authorization'] as const;
export type CredentialHeader = (typeof credentialHeaders)[number];

/** The header that a challenge selects; undefined for one that the protocol does not have. */
export function selectedHeader({
  header = 'Authorization',
}: Challenge.Challenge): CredentialHeader | undefined {
  return credentialHeaders.find((name) => name.toLowerCase() === header.toLowerCase());
}

/** The networks that MPP has a method for. */
export function chargeOffers(offers: readonly AvailableOffer[]): AvailableEvmOffer[] {
  return offers.flatMap((offer) => (isEvmOffer(offer) ? offer : []));
}

/** The `request` of a challenge (EVM charge 4.2): amount, recipient and chain. */
function chargeRequest(operation: Operation, offer: AvailableEvmOffer) {
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

const serializedRequests = new WeakMap<AvailableEvmOffer, Map<string, string>>();

/** The encoded `request`. It depends only on operation and network, so it is made once. */
export function serializedRequest(operation: Operation, offer: AvailableEvmOffer): string {
  const ofOffer = serializedRequests.get(offer) ?? new Map<string, string>();
  serializedRequests.set(offer, ofOffer);
  const request = ofOffer.get(operation.id) ?? PaymentRequest.serialize(chargeRequest(operation, offer));
  ofOffer.set(operation.id, request);
  return request;
}

const opaqueSchema = z.object({ operation: z.string() });

/**
 * The operation of a challenge, and a salt. Without the salt two requests in one millisecond could get the same
 * challenge, and one wallet that answered both would sign only one payment.
 */
function newOpaque(operation: Operation): string {
  const json = `{"operation":${JSON.stringify(operation.id)},"salt":"${takeRandomBytes(12).toString('base64url')}"}`;
  return Buffer.from(json).toString('base64url');
}

/** The operation that a challenge was issued for; null when it names none. */
export function operationOf(challenge: Challenge.Challenge): string | null {
  if (challenge.opaque === undefined) return null;
  try {
    return opaqueSchema.parse(PaymentRequest.deserialize(challenge.opaque)).operation;
  } catch {
    return null;
  }
}

/**
 * The WWW-Authenticate value of a challenge for an operation on one network. The id covers everything in it (core 2.4). Built
 * here rather than with mppx, at a tenth of the cost, because floods of unpaid requests receive it. A test compares it with
 * mppx.
 */
export function writeChallenge(
  operation: Operation,
  offer: AvailableEvmOffer,
  realm: Realm,
  { digest, now }: { digest: string | null; now: Date },
): string {
  const request = serializedRequest(operation, offer);
  const expires = new Date(now.getTime() + challengeSeconds * 1000).toISOString();
  const opaque = newOpaque(operation);
  const { paymentMethod: method, chargeIntent: intent } = Types;
  const selected = realm.credentialHeader === 'Authorization' ? [] : [realm.credentialHeader];
  const id = createHmac('sha256', realm.secrets[0])
    .update([realm.name, method, intent, request, expires, digest ?? '', ...selected, opaque].join('|'))
    .digest('base64url');
  // For human readers. The id does not cover it.
  const descriptionPart = offer.network.isTest ? ` description=${quoted(testNotice)},` : '';
  const digestPart = digest === null ? '' : ` digest="${digest}",`;
  const headerPart = selected.map((name) => ` header="${name}",`).join('');
  return `Payment id="${id}", realm=${quoted(realm.name)}, method="${method}", intent="${intent}", request="${request}",${descriptionPart}${digestPart} expires="${expires}",${headerPart} opaque="${opaque}"`;
}

/** An HTTP quoted-string (RFC 9110 section 5.6.4). */
function quoted(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}
