import { encodePaymentSignatureHeader } from '@x402/core/http';
import { authorizationTypes } from '@x402/evm';
import { isAddress } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts';
import { z } from 'zod';
import type { Offer, X402Challenge } from './seller';

/** What EIP-3009 signs. */
interface Authorization {
  readonly from: string;
  readonly to: string;
  readonly value: string;
  readonly validAfter: string;
  readonly validBefore: string;
  readonly nonce: string;
}

/** A payment of version 2, as it goes into the header. */
export interface Payment {
  readonly x402Version: unknown;
  readonly resource?: unknown;
  readonly accepted?: unknown;
  readonly payload?: unknown;
  readonly extensions?: unknown;
}

/** Which parts of a payment are not as the seller offers them. */
export interface Deviation {
  readonly accepted?: Partial<Offer>;
  readonly authorization?: Partial<Authorization>;
  readonly signature?: string;
  /** Somebody else than the payer. */
  readonly signer?: PrivateKeyAccount;
}

/** An offer that can be signed without asking the chain. */
const signable = z.looseObject({
  scheme: z.literal('exact'),
  network: z.string().regex(/^eip155:\d+$/),
  amount: z.string().regex(/^\d{1,30}$/),
  asset: z.string().refine((value) => isAddress(value, { strict: false })),
  payTo: z.string().refine((value) => isAddress(value, { strict: false })),
  maxTimeoutSeconds: z.number().positive(),
  extra: z.looseObject({
    name: z.string(),
    version: z.string(),
    assetTransferMethod: z.literal('eip3009').optional(),
  }),
});

/** The first offer on an EVM network that EIP-3009 pays. */
export function findSignable({ required }: X402Challenge): Offer | undefined {
  return required.accepts.find((offer) => signable.safeParse(offer).success);
}

const hexOf = (value: string): `0x${string}` => `0x${value.slice(2)}`;

/**
 * Signs a payment for an offer with a new key, which owns nothing: no seller can charge it.
 * @param deviation what differs from the offer
 */
export async function signPayment(
  { required }: X402Challenge,
  offer: Offer,
  deviation: Deviation = {},
): Promise<Payment> {
  const payer = privateKeyToAccount(generatePrivateKey());
  const accepted = { ...offer, ...deviation.accepted };
  const { network, amount, asset, payTo, maxTimeoutSeconds, extra } = signable.parse({
    ...accepted,
    scheme: 'exact',
  });
  const authorization = {
    from: payer.address,
    to: payTo,
    value: amount,
    validAfter: '0',
    validBefore: String(Math.floor(Date.now() / 1_000 + maxTimeoutSeconds)),
    nonce: generatePrivateKey(),
    ...deviation.authorization,
  };
  const signature =
    deviation.signature ??
    (await (deviation.signer ?? payer).signTypedData({
      domain: {
        name: extra.name,
        version: extra.version,
        chainId: Number(network.split(':')[1]),
        verifyingContract: hexOf(asset),
      },
      types: authorizationTypes,
      primaryType: 'TransferWithAuthorization',
      message: {
        from: hexOf(authorization.from),
        to: hexOf(authorization.to),
        value: BigInt(authorization.value),
        validAfter: BigInt(authorization.validAfter),
        validBefore: BigInt(authorization.validBefore),
        nonce: hexOf(authorization.nonce),
      },
    }));
  return {
    x402Version: 2,
    resource: required.resource,
    accepted,
    payload: { signature, authorization },
    ...(required.extensions ? { extensions: required.extensions } : {}),
  };
}

/** As the official client encodes it. */
export function encodePayment(payment: Payment): string {
  return encodePaymentSignatureHeader(
    payment as unknown as Parameters<typeof encodePaymentSignatureHeader>[0],
  );
}
