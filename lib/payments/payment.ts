import { getAddress } from 'viem';
import { z } from 'zod';
import { ownerKey } from '@/lib/platform/owner-key';
import type { NetworkName } from './networks';

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

/** The refusal reason when an account's balance is too low. */
export const balanceTooLow = 'balance_too_low';

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

/** The result of verifying a payment before it is charged. */
export type Verification =
  | {
      readonly ok: true;
      /** Chain head when the payment was verified. A payment that was not used then can only be in a later block. */
      readonly height: bigint;
    }
  | {
      readonly ok: false;
      readonly reason: string;
      /** Chain head when the payment was verified; 0 when the chain was not asked. */
      readonly height: bigint;
      /** Set when the payment is valid, but its payer has to wait. Seconds. */
      readonly retryAfterSeconds?: number;
    };

/**
 * Whether a payment may have failed verification because it was already used. EVM tokens say so. On Solana only the
 * failed simulation is known.
 */
export function mayMeanUsed(reason: string): 'certainly' | 'perhaps' | 'no' {
  if (/nonce_already_used|duplicate_settlement/.test(reason)) return 'certainly';
  return /simulation_failed|^token_paused$|^payer_blocked$/.test(reason) ? 'perhaps' : 'no';
}

/** The reason code for a wallet that the token's issuer has blocked: on the token's block list, or with a frozen account. */
export const payerBlocked = 'payer_blocked';

/** Reasons that concern one payment: its balance, its nonce, its time, its wallet, its channel. */
const ofOnePayment =
  /balance|funds|nonce|duplicate|expired|authorization_|undeployed|gas_budget|cumulative|fee_payer|payload_transaction$/;

/** Whether a payment may have failed because of something that concerns every payer on its network. */
export function mayConcernEverybody(reason: string): boolean {
  return !ofOnePayment.test(reason);
}

/** The block that holds a transaction. On Solana its slot, without a hash. */
export interface Block {
  readonly number: bigint;
  readonly hash: string | null;
}

/** A payment's outcome. Everything that is not proven is `unknown`. */
export type Outcome =
  | {
      readonly kind: 'settled';
      /** Null for account payments, and for vouchers without a deposit. */
      readonly transactionHash: string | null;
      /** Null for payments from accounts and channels, and for pre-confirmed ones. */
      readonly block: Block | null;
      /** Set while the settler is still recording it. Rejects when that fails, and the outcome then counts as unknown. */
      readonly recorded?: Promise<void>;
      /** The ledger already has this outcome, and may have a later one, so it must not be recorded again. */
      readonly isInLedger?: true;
    }
  | {
      readonly kind: 'refused';
      readonly reason: string;
      /** A block shows it that is not final: a reorganization may make the payment possible again. */
      readonly isReversible?: true;
    }
  | {
      readonly kind: 'unknown';
      readonly transactionHash: string | null;
      /** The chain was asked: the payment has not been used, but still can be. */
      readonly isUnused?: true;
    };

/** The outcome of a payment that is not known in time. */
export const unknownOutcome: Outcome = { kind: 'unknown', transactionHash: null };

/** A payment to charge for a paid call. */
export interface Charge {
  readonly paidCallId: string;
  readonly payment: Payment;
  /** Whether a third party is called after the charge, so that a charge that only the ledger has must be on disk by then. */
  readonly isBeforeThirdParty?: boolean;
}

/** What the ledger knows about a payment that is looked up. */
export interface Trace {
  /** The paid call whose payment it is; left out when there is none. */
  readonly id?: string;
  /** Chain head when the payment was accepted; earlier blocks are not searched. */
  readonly sinceHeight: bigint;
  readonly transactionHash: string | null;
  /** As in `Charge`, because looking a payment up may charge it. */
  readonly isBeforeThirdParty?: boolean;
}

/** A transaction that is in a block, and that a reorganization may still remove. */
export interface SettledTransaction {
  readonly hash: string;
  readonly block: Block | null;
}

/** The status of a settled transaction on the current chain. */
export type FinalityStatus =
  | { readonly kind: 'final' | 'included'; readonly block: Block }
  /** A reorganization removed or moved it, so its payments have to be looked up again. */
  | { readonly kind: 'vanished' }
  /** It is final, and moved no money. If calls count as paid by it, it moved their money in a fork that no longer exists. */
  | { readonly kind: 'failed' };

/** The work that the ledger has for a network's senders. */
export interface SettlementWork {
  /** Whether charges are queued for a process that has a signer. */
  readonly hasQueued: boolean;
  /** Whether there are recorded transactions that are not known to be in a block. */
  readonly hasOpen: boolean;
  /** Whether one of them is so old that its process has probably died. */
  readonly hasLeftBehind: boolean;
  /** The signers that are leased to this process. */
  readonly leased: readonly string[];
}

export const noSettlementWork: SettlementWork = {
  hasQueued: false,
  hasOpen: false,
  hasLeftBehind: false,
  leased: [],
};

/** Why a network is not offered, for the operator. */
export interface NetworkProblem {
  readonly message: string;
  /** What to do about it. */
  readonly advice: string;
  /** Whether the token stops the payments: no RPC and no setting here is wrong. */
  readonly isOfToken?: true;
}

/** What the operator's own addresses hold on a network. */
export interface OwnBalances {
  /** By settlement key: wei or lamports. Empty where others settle. */
  readonly gas: readonly { readonly signer: string; readonly atomic: bigint }[];
  /** Atomic USDC of the address that receives the payments. */
  readonly treasuryAtomic: bigint;
}

/** What a process still has to settle on a network. */
export interface SettlementLoad {
  /** Payments that wait for the next transaction. */
  readonly waiting: number;
  /** Transactions that are not in a block yet. */
  readonly pending: number;
}

/**
 * What a contract wallet says about a signature. `no_wallet`: the payer has no code, and the signature looks like a key's but
 * is not by the payer's own key.
 */
export type WalletAnswer = 'signed' | 'not_signed' | 'no_wallet';

/** A call of a contract in a transaction of the operator's own. */
export interface ContractCall {
  readonly to: `0x${string}`;
  readonly data: `0x${string}`;
  readonly gas: bigint;
}

/** Sends transactions of the operator's own on one network. Like charges, they are recorded before they are sent. */
export interface Submitter {
  /** Whether this process has the key. Leases it if nobody does. */
  canSubmit(): Promise<boolean>;
  /** @returns false when another process has the key: nothing was sent */
  submit(call: ContractCall): Promise<boolean>;
}
