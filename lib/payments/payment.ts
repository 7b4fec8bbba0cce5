import { getAddress } from 'viem';
import { z } from 'zod';
import { ownerKey } from '@/lib/platform/owners';
import type { NetworkName } from './network-offers';

const hex = (bytes: number) =>
  z.templateLiteral(['0x', z.string().regex(new RegExp(`^[0-9a-fA-F]{${bytes * 2}}$`))]);
/** Any letter case is accepted. The result is checksummed, because encoders reject a wrong checksum. */
const address = hex(20).transform((value) => getAddress(value));
const uint256Max = 2n ** 256n - 1n;
const uint256 = z
  .string()
  .refine((value) => /^(0|[1-9][0-9]{0,77})$/.test(value) && BigInt(value) <= uint256Max);

/** The longest signature that is sent to a chain, in bytes: passkeys have about 700, ten owners of a Safe 650. */
const signatureBytesMax = 2_048;
const signature = z.templateLiteral([
  '0x',
  z.string().regex(new RegExp(`^(?:[0-9a-fA-F]{2}){0,${signatureBytesMax}}$`)),
]);

/** A signed EIP-3009 TransferWithAuthorization. */
export const evmSignedSchema = z.object({
  family: z.literal('evm'),
  authorization: z.object({
    from: address,
    to: address,
    value: uint256,
    validAfter: uint256,
    validBefore: uint256,
    nonce: hex(32),
  }),
  /** From a key: 65 bytes, low s, v of 27 or 28. From a contract wallet: whatever its code accepts (EIP-1271). */
  signature,
  /**
   * Who can verify the signature. `key`: it is by the payer's own key, which we have checked. `wallet`: only the code at the
   * payer's address can verify it. `undeployed`: the same, but it came in a form for wallets that may have no code yet
   * (ERC-6492).
   */
  signer: z.enum(['key', 'wallet', 'undeployed']).default('key'),
  /** The call that uses an authorization which only its recipient may submit; omitted where the token itself is called. */
  call: z
    .object({ to: address, data: z.templateLiteral(['0x', z.string().regex(/^[0-9a-f]*$/)]) })
    .optional(),
});

/** A Solana transaction, base64, signed by the payer; the fee payer's signature is still empty. */
const solanaSignedSchema = z.object({ family: z.literal('solana'), transaction: z.string() });

const uint128 = z.string().regex(/^(0|[1-9][0-9]{0,38})$/);

/** A voucher of a payment channel (x402's `batch-settlement`), or a deposit into one with the first voucher that it covers. */
const channelSignedSchema = z.object({
  family: z.literal('channel'),
  /** Distinguishes the channel from the payer's other channels with us. */
  salt: hex(32),
  /** The channel's running total, including this call. Atomic USDC. */
  maxClaimable: uint128,
  /** 65 bytes, low s, v of 27 or 28. */
  signature: hex(65),
  /** The deposit (EIP-3009's ReceiveWithAuthorization, to the contract's collector); null for a voucher alone. */
  deposit: evmSignedSchema.nullable(),
});

/** Nothing is signed: the bearer token was valid when the call was claimed, and the account is the payer. */
const accountSignedSchema = z.object({ family: z.literal('account') });

export const signedPaymentSchema = z.discriminatedUnion('family', [
  evmSignedSchema,
  solanaSignedSchema,
  channelSignedSchema,
  accountSignedSchema,
]);

export type EvmSigned = z.output<typeof evmSignedSchema>;
export type SolanaSigned = z.output<typeof solanaSignedSchema>;
export type ChannelSigned = z.output<typeof channelSignedSchema>;
export type AccountSigned = z.output<typeof accountSignedSchema>;

/** What is left of a signed payment after its retention period: it was settled long ago, and is never submitted again. */
export interface ErasedSigned {
  readonly family: 'erased';
}

export type Signed = EvmSigned | SolanaSigned | ChannelSigned | AccountSigned | ErasedSigned;

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
   * Checksummed EVM address or base58 Solana address. For an account, its id. Proven by the signature, unless that is a
   * contract wallet's (`isPayerProven`).
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
 * Whether the signature alone proves the payer. Anyone can name a contract wallet and attach some bytes. Only its code on the
 * chain decides whether they are its signature.
 */
export function isPayerProven({ signed }: Payment): boolean {
  return signed.family !== 'evm' || signed.signer === 'key';
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
