import { Credential } from 'mppx';
import { Types } from 'mppx/evm';
import type { Hex } from 'viem';
import { generatePrivateKey, type PrivateKeyAccount } from 'viem/accounts';
import type { LocalChain } from './chain';
import type { MppOffer, X402Offer } from './offers';
import { type Authorization, signAuthorization } from './usdc';

/** A payment that a request carries. */
export interface Payment {
  readonly protocol: 'x402' | 'mpp';
  readonly payer: Hex;
  readonly authorization: Authorization;
  readonly signature: Hex;
  readonly headers: Readonly<Record<string, string>>;
}

/** What is different from a correct payment. */
export interface Change {
  readonly authorization?: Partial<Authorization>;
  /** Signs instead of the payer. */
  readonly signer?: PrivateKeyAccount;
  readonly domain?: Partial<LocalChain['domain']>;
  readonly primaryType?: 'TransferWithAuthorization' | 'ReceiveWithAuthorization';
  /** Rewrites the signature. */
  readonly signature?: (genuine: Hex) => Hex;
  /** x402: rewrites the requirement that the payment claims to accept. */
  readonly accepted?: (requirement: X402Offer['requirement']) => object;
  /** x402: what is added to an extension of the challenge. */
  readonly extensions?: Readonly<Record<string, unknown>>;
  /** MPP: rewrites the challenge that the payment echoes. */
  readonly challenge?: (challenge: MppOffer['challenge']) => MppOffer['challenge'];
}

/** Addresses and digits as wallets write them. */
const wireForm = ({ from, to, value, validAfter, validBefore, nonce }: Authorization) => ({
  from,
  to,
  value: String(value),
  validAfter: String(validAfter),
  validBefore: String(validBefore),
  nonce,
});

async function sign(
  chain: LocalChain,
  payer: PrivateKeyAccount,
  authorization: Authorization,
  change: Change,
): Promise<Hex> {
  const signer = change.signer ?? payer;
  const domain = { ...chain.domain, ...change.domain };
  const genuine = await signAuthorization(signer, domain, authorization, change.primaryType);
  return change.signature?.(genuine) ?? genuine;
}

/** Signs a payment for x402 as the official client would, except for what `change` says. */
export async function x402Payment(
  chain: LocalChain,
  offer: X402Offer,
  payer: PrivateKeyAccount,
  change: Change = {},
): Promise<Payment> {
  const { requirement } = offer;
  const seconds = BigInt(Math.floor(Date.now() / 1000));
  const authorization: Authorization = {
    from: payer.address,
    to: offer.payee,
    value: offer.price,
    validAfter: 0n,
    validBefore: seconds + BigInt(Math.floor(requirement.maxTimeoutSeconds)),
    nonce: generatePrivateKey(),
    ...change.authorization,
  };
  const signature = await sign(chain, payer, authorization, change);
  const extensions = change.extensions ?? offer.extensions;
  const payload = {
    x402Version: 2,
    ...(offer.resource === undefined ? {} : { resource: offer.resource }),
    accepted: change.accepted?.(requirement) ?? requirement,
    payload: { signature, authorization: wireForm(authorization) },
    ...(Object.keys(extensions).length === 0 ? {} : { extensions }),
  };
  return {
    protocol: 'x402',
    payer: authorization.from,
    authorization,
    signature,
    headers: { 'PAYMENT-SIGNATURE': Buffer.from(JSON.stringify(payload)).toString('base64') },
  };
}

/** Signs a credential for MPP as the official client would, except for what `change` says. */
export async function mppPayment(
  chain: LocalChain,
  offer: MppOffer,
  payer: PrivateKeyAccount,
  change: Change = {},
): Promise<Payment> {
  const { challenge } = offer;
  const expires = challenge.expires === undefined ? Number.NaN : Date.parse(challenge.expires);
  const validBefore = Math.floor((Number.isNaN(expires) ? Date.now() + 300_000 : expires) / 1000);
  const authorization: Authorization = {
    from: payer.address,
    to: offer.payee,
    value: offer.price,
    validAfter: 0n,
    validBefore: BigInt(validBefore),
    nonce: Types.challengeHash(challenge),
    ...change.authorization,
  };
  const signature = await sign(chain, payer, authorization, change);
  const credential = Credential.from({
    challenge: change.challenge?.(challenge) ?? challenge,
    payload: { type: 'authorization', ...wireForm(authorization), signature },
    source: Types.toSource({ address: payer.address, chainId: chain.domain.chainId }),
  });
  return {
    protocol: 'mpp',
    payer: authorization.from,
    authorization,
    signature,
    headers: { Authorization: Credential.serialize(credential) },
  };
}
