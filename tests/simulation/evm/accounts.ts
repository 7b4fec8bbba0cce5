import secp256k1 from 'secp256k1';
import type { Hex } from 'viem';
import { EvmSigner } from '@/lib/payments/evm/settlement-transaction';
import type { EvmNetwork } from '@/lib/payments/network-offers';
import { authorizationDigest } from './usdc';
import { selectors } from './usdc-words';
import { encodeBytes, hashOf, padded, word } from './words';

/** Seconds, as the token takes them. */
export interface Authorization {
  readonly from: Hex;
  readonly to: Hex;
  readonly value: bigint;
  readonly validAfter: bigint;
  readonly validBefore: bigint;
  readonly nonce: Hex;
}

/** Somebody with a key, which follows from a name, so that every run has the same ones. */
export class Account {
  readonly privateKey: Hex;
  readonly signer: EvmSigner;

  constructor(name: string) {
    this.privateKey = hashOf(`0x${Buffer.from(name).toString('hex')}`);
    this.signer = new EvmSigner(this.privateKey);
  }

  get address(): Hex {
    return this.signer.address;
  }

  /** The signature of an authorization, as 65 bytes. */
  authorize(
    network: EvmNetwork,
    authorization: Authorization,
    kind: 'transfer' | 'receive' = 'transfer',
  ): Hex {
    return this.sign(authorizationDigest(network, kind, wordsOf(authorization)));
  }

  cancel(network: EvmNetwork, nonce: Hex): Hex {
    return this.sign(authorizationDigest(network, 'cancel', padded(this.address) + nonce.slice(2)));
  }

  /** The signature of a digest, as 65 bytes. */
  sign(digest: Buffer): Hex {
    const { signature, recid } = secp256k1.ecdsaSign(digest, Buffer.from(this.privateKey.slice(2), 'hex'));
    return `0x${Buffer.from(signature).toString('hex')}${(27 + recid).toString(16)}`;
  }
}

function wordsOf({ from, to, value, validAfter, validBefore, nonce }: Authorization): string {
  return padded(from) + padded(to) + word(value) + word(validAfter) + word(validBefore) + nonce.slice(2);
}

/** A signature in parts: v, r and s as words. */
function partsOf(signature: Hex): string {
  return word(Number(`0x${signature.slice(130)}`)) + signature.slice(2, 130);
}

/** Calls of the token. */
export const usdcCalls = {
  transferParts: (authorization: Authorization, signature: Hex): Hex =>
    `${selectors.transferParts}${wordsOf(authorization)}${partsOf(signature)}`,
  transferBytes: (authorization: Authorization, signature: Hex): Hex =>
    `${selectors.transferBytes}${wordsOf(authorization)}${word(224)}${encodeBytes(signature)}`,
  receiveBytes: (authorization: Authorization, signature: Hex): Hex =>
    `${selectors.receiveBytes}${wordsOf(authorization)}${word(224)}${encodeBytes(signature)}`,
  cancelParts: (authorizer: Hex, nonce: Hex, signature: Hex): Hex =>
    `${selectors.cancelParts}${padded(authorizer)}${nonce.slice(2)}${partsOf(signature)}`,
  transfer: (to: Hex, value: bigint): Hex => `${selectors.transfer}${padded(to)}${word(value)}`,
  authorizationState: (authorizer: Hex, nonce: Hex): Hex =>
    `${selectors.authorizationState}${padded(authorizer)}${nonce.slice(2)}`,
  balanceOf: (account: Hex): Hex => `${selectors.balanceOf}${padded(account)}`,
  paused: (): Hex => selectors.paused,
  domainSeparator: (): Hex => selectors.domainSeparator,
  isBlacklisted: (account: Hex): Hex => `${selectors.isBlacklisted}${padded(account)}`,
  pause: (): Hex => selectors.pause,
  unpause: (): Hex => selectors.unpause,
  blacklist: (account: Hex): Hex => `${selectors.blacklist}${padded(account)}`,
} as const;
