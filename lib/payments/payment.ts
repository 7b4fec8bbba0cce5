import { getAddress } from 'viem';
import { z } from 'zod';
import type { NetworkName } from './networks';

const hex = (bytes: number) =>
  z.templateLiteral(['0x', z.string().regex(new RegExp(`^[0-9a-fA-F]{${bytes * 2}}$`))]);
/** In one spelling, whatever letter case it came in: encoders refuse capitals that are no checksum. */
const address = hex(20).transform((value) => getAddress(value));
const uint256Max = 2n ** 256n - 1n;
const uint256 = z
  .string()
  .refine((value) => /^(0|[1-9][0-9]{0,77})$/.test(value) && BigInt(value) <= uint256Max);

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
  /** 65 bytes, low s, v of 27 or 28. */
  signature: hex(65),
});

/** A Solana transaction, base64, signed by the payer; the fee payer's signature is still empty. */
const solanaSignedSchema = z.object({ family: z.literal('solana'), transaction: z.string() });

/** Nothing was signed: the bearer token was good when the call was claimed, and the account is the payer. */
const accountSignedSchema = z.object({ family: z.literal('account') });

export const signedPaymentSchema = z.discriminatedUnion('family', [
  evmSignedSchema,
  solanaSignedSchema,
  accountSignedSchema,
]);

export type EvmSigned = z.output<typeof evmSignedSchema>;
export type SolanaSigned = z.output<typeof solanaSignedSchema>;
export type AccountSigned = z.output<typeof accountSignedSchema>;

/** Where a payment is made: on a chain, or in our own books out of a prepaid account. */
export const onAccount = 'account';
export type SettlementLocation = NetworkName | typeof onAccount;

/** Why an account is not charged. */
export const balanceTooLow = 'balance_too_low';

/**
 * A credential of any rail, reduced to what it authorizes. Its identity is (network, asset, payer, authorization):
 * whatever else differs, two credentials with the same identity are one payment.
 */
export interface Payment<
  Signed extends EvmSigned | SolanaSigned | AccountSigned = EvmSigned | SolanaSigned | AccountSigned,
> {
  readonly network: SettlementLocation;
  readonly asset: string;
  /** Proven by the signature. Checksummed EVM address or base58 Solana address; of an account, its id. */
  readonly payer: string;
  /** EVM: the EIP-3009 nonce, lowercase hex. Solana: SHA-256 of the message, hex. Account: a random value of ours. */
  readonly authorization: string;
  readonly amountAtomic: bigint;
  readonly payTo: string;
  readonly validBefore: Date;
  readonly signed: Signed;
}

/** What the chain says of a payment before it is charged. */
export type Verification =
  | {
      readonly ok: true;
      /** Head of the chain when it was asked: nothing about this payment can be in an earlier block unless it was old. */
      readonly height: bigint;
    }
  | {
      readonly ok: false;
      readonly reason: string;
      /** Head of the chain when it was asked; 0 when it was not. */
      readonly height: bigint;
      /** Set when nothing is wrong with the payment but its payer has to wait; seconds. */
      readonly retryAfterSeconds?: number;
    };

/**
 * Whether the reason for which a payment would not go through can be that it has gone through already. EVM tokens say so;
 * of Solana all that is known is that the transaction failed when it was simulated.
 */
export function mayMeanUsed(reason: string): 'certainly' | 'perhaps' | 'no' {
  if (/nonce_already_used|duplicate_settlement/.test(reason)) return 'certainly';
  return /simulation_failed/.test(reason) ? 'perhaps' : 'no';
}

/** The block (on Solana: the slot, whose hash is never asked for) that holds a transaction. */
export interface Block {
  readonly number: bigint;
  readonly hash: string | null;
}

/** What became of a payment. Everything that is not proven is `unknown`. */
export type Outcome =
  | {
      readonly kind: 'settled';
      /** Null where no chain was needed. */
      readonly transactionHash: string | null;
      /** Null when somebody whom we trust says so who names no block. */
      readonly block: Block | null;
    }
  | { readonly kind: 'refused'; readonly reason: string }
  | {
      readonly kind: 'unknown';
      readonly transactionHash: string | null;
      /** The chain was asked, and the payment had not been used so far; it still can be. */
      readonly isUnused?: true;
    };

/** One payment that is to be charged for one paid call. */
export interface Charge {
  readonly paidCallId: string;
  readonly payment: Payment;
}

/** A signed transaction of ours, about to leave or on its way. */
export interface PreparedTransaction {
  readonly network: NetworkName;
  readonly signer: string;
  /** Null on Solana. */
  readonly nonce: bigint | null;
  readonly hash: string;
  readonly raw: Uint8Array<ArrayBuffer>;
  readonly charges: readonly Charge[];
}

export interface MinedTransaction {
  readonly network: NetworkName;
  readonly hash: string;
  readonly block: Block;
  readonly gasUsed: bigint;
  /** Wei or lamports. */
  readonly feeAtomic: bigint;
  /** Of the charges that it carried out, or that are known for certain otherwise. */
  readonly outcomes: readonly { readonly charge: Charge; readonly outcome: Outcome }[];
  /** The part of the fee that was spent on charges which were not carried out. */
  readonly feeInVainAtomic: bigint;
  /** Whose charges those were. */
  readonly inVain: readonly GasInVain[];
}

/** Gas that a transaction spent on one charge without carrying it out. */
export interface GasInVain {
  readonly paidCallId: string;
  readonly payer: string;
  readonly gas: bigint;
  /** The code that is to blame beside the payer; none when it is not known, or had no part in it. */
  readonly code?: string;
}

/** Gas spent in vain since a moment; `oldest` is when the first of it was booked. */
interface SpentInVain {
  readonly gas: bigint;
  readonly oldest: Date | null;
}

/** What is known of a payer that may cost gas in vain. */
export interface GasRecord {
  readonly byPayer: SpentInVain;
  /** By all payers that run the same code. */
  readonly byCode: SpentInVain;
  /** Whether the payer has ever paid for a call on the network. */
  readonly hasPaid: boolean;
}

/** The signer is not leased to this process (any more): nothing was written down, and nothing may be sent with it. */
export class LeaseLost extends Error {
  constructor(signer: string) {
    super(`the signer ${signer} is leased to another process`);
  }
}

/** What a process learns that takes a signer, or keeps it. */
export interface Lease {
  /** The nonce after the last one that was allocated; null when none ever was. */
  readonly nextNonce: bigint | null;
  /** Transactions of the signer that were prepared and not seen in a block, oldest nonce first. */
  readonly open: readonly PreparedTransaction[];
}

/**
 * Where settlement writes down what it is about to do and what came of it. The ledger implements it; nothing is
 * broadcast before `prepared` has returned.
 */
export interface SettlementJournal {
  /**
   * Takes a signer for this process, or keeps it, unless another live process has it.
   * @param known hashes of the open transactions that the process already follows: they are not told again
   * @returns null when another process has it
   */
  lease(network: NetworkName, signer: string, known: readonly string[]): Promise<Lease | null>;
  /** Lets another process have the signer at once. */
  giveBack(network: NetworkName, signer: string): Promise<void>;
  /** Writes the transaction down and its nonce as allocated. Throws LeaseLost where a nonce is used without a lease. */
  prepared(transaction: PreparedTransaction): Promise<void>;
  mined(transaction: MinedTransaction): Promise<void>;
  /** Names the code that was to blame for gas in vain of a mined transaction, or who was, when that is found out later. */
  blamed(network: NetworkName, hash: string, inVain: GasInVain): Promise<void>;
  /** Gas in vain since a moment: of a payer, and of the payers with some code. */
  gasInVain(network: NetworkName, payer: string, code: string | null, since: Date): Promise<GasRecord>;
  /** The payers that gas was spent on in vain since a moment. */
  payersOfGasInVain(network: NetworkName, since: Date): Promise<readonly string[]>;
  /** What became of a charge by other means than a transaction of ours. */
  foundOut(charge: Charge, outcome: Outcome): Promise<void>;
  /** The transactions can never land: their nonce was used by another, or their blockhash is dead. */
  dropped(network: NetworkName, hashes: readonly string[]): Promise<void>;
  /** Whether other processes of the service were alive a moment ago. */
  hasPeers(): boolean;
  /** Whether any live process can settle on the network. */
  hasSigner(network: NetworkName): Promise<boolean>;
  /** Whether there is work for a signer that nobody does: charges handed over, or open transactions left behind. */
  hasWork(network: NetworkName, now: Date): Promise<boolean>;
  /** Leaves a charge to whichever process has a signer. */
  handOver(charge: Charge): Promise<void>;
  /** Takes the charges that were handed over. */
  takeHandedOver(network: NetworkName): Promise<Charge[]>;
  /** What came of charges that were handed over; those of which nothing is known yet are left out. */
  outcomes(paidCallIds: readonly string[]): Promise<ReadonlyMap<string, Outcome>>;
}

/** What is known of a payment that is looked up. */
export interface Trace {
  /** Chain head when the payment was accepted; earlier blocks are not searched. */
  readonly sinceHeight: bigint;
  readonly transactionHash: string | null;
}

/** A transaction that was seen in a block and may still be taken away by a re-organization. */
export interface SettledTransaction {
  readonly hash: string;
  readonly block: Block | null;
}

/** How a settled transaction stands in the chain as it is now. */
export type FinalityStatus =
  | { readonly kind: 'final' | 'standing'; readonly block: Block }
  /** A re-organization took it away, or moved it: it has to be judged anew. */
  | { readonly kind: 'vanished' };

/** Charges payments on one network. */
export interface Settler {
  /** Solana: the account that pays the network fee and so appears in the challenge; null on EVM networks. */
  readonly feePayer: string | null;
  /** Whether `settle` has the outcome of a settled charge in the ledger by the time that it returns. */
  readonly writesDown: boolean;
  /** Asks the chain whether the payment would go through now. Moves nothing. */
  verify(payment: Payment): Promise<Verification>;
  /** Charges. Never throws once a transaction may have left the process. */
  settle(charge: Charge): Promise<Outcome>;
  /** Finds out from the chain alone what became of a payment, whoever submitted it. */
  resolveOutcome(payment: Payment, trace: Trace): Promise<Outcome>;
  /** Holds settled transactions against the chain; those of which nothing can be said now are left out. */
  checkFinality(transactions: readonly SettledTransaction[]): Promise<ReadonlyMap<string, FinalityStatus>>;
  /** Upkeep, every second or so: takes up what was handed over and what nobody follows any more. */
  maintain(now: Date): Promise<void>;
  /** @returns what stands in the way of offering this network, in words for the operator; empty when nothing does */
  check(): Promise<string[]>;
}
