import { z } from 'zod';
import { ownerKey } from '@/lib/platform/owners';
import { channelSignedSchema } from './channels/channel-signed';
import { evmSignedSchema } from './evm/evm-signed';
import type { NetworkName } from './network-offers';

/** A Solana transaction, base64; the fee payer's signature is still empty. */
const solanaSignedSchema = z.object({
  family: z.literal('solana'),
  transaction: z.string(),
  /** `key`: the payer has signed it. `wallet`: only the program of a smart wallet can move the payer's money. */
  signer: z.enum(['key', 'wallet']).default('key'),
});

/** Nothing is signed: the bearer token was valid when the call was claimed, and the account is the payer. */
const accountSignedSchema = z.object({ family: z.literal('account') });

export const signedPaymentSchema = z.discriminatedUnion('family', [
  evmSignedSchema,
  solanaSignedSchema,
  channelSignedSchema,
  accountSignedSchema,
]);

export type SolanaSigned = z.output<typeof solanaSignedSchema>;

/** What is left of a signed payment after its retention period: it was settled long ago, and is never submitted again. */
export interface ErasedSigned {
  readonly family: 'erased';
}

export type Signed = z.output<typeof signedPaymentSchema> | ErasedSigned;

/** Where a payment is made: on a chain, or from a prepaid account in our ledger. */
export const onAccount = 'account';
export type SettlementLocation = NetworkName | typeof onAccount;

/**
 * A credential of any rail, reduced to what it authorizes. Its identity is (network, asset, payer, authorization): two
 * credentials with the same identity are one payment, even if they differ otherwise.
 */
export interface Payment<S extends Signed = Signed> {
  readonly network: SettlementLocation;
  readonly asset: string;
  /**
   * Checksummed EVM address or base58 Solana address. For an account, its id. Proven by the signature, unless it is a
   * contract wallet or a smart wallet (`isPayerProven`).
   */
  readonly payer: string;
  /**
   * EVM: the EIP-3009 nonce, lowercase hex. Solana: SHA-256 of the message, hex. Channel: its id and the running total,
   * with a colon. Account: a random value that we chose.
   */
  readonly authorization: string;
  readonly amountAtomic: bigint;
  readonly payTo: string;
  readonly validBefore: Date;
  /** The payment channel that pays, 0x and lower case; left out of every other payment. */
  readonly channelId?: string;
  readonly signed: S;
}

/**
 * Whether the signature alone proves the payer. Anyone can name a contract wallet and attach some bytes, or sign a call of a
 * smart wallet's program. Only code on the chain decides whether the wallet pays.
 */
export function isPayerProven({ signed }: Payment): boolean {
  return !('signer' in signed) || signed.signer === 'key';
}

/**
 * The only network on which an address identifies the payer; null when it does on every network. The owner of a key is the
 * same on all networks, but contracts at one address on two networks may have different owners.
 */
export function onlyNetworkOf(payment: Payment): SettlementLocation | null {
  return isPayerProven(payment) ? null : payment.network;
}

/** The key under which anything is counted for the payer of a payment. */
export function ownerOfPayment(payment: Payment): string {
  return ownerKey(payment.payer, onlyNetworkOf(payment));
}
