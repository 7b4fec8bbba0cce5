import { z } from 'zod';
import type { PaymentsReading } from './incoming-payment';
import type { Block } from './outcome';

/** The transfer that makes a refund: its amount of our token, from the treasury to the recipient. */
export interface RefundTransfer {
  /** The call that it refunds. */
  readonly paidCallId: string;
  readonly recipient: string;
  readonly amountAtomic: bigint;
  /** The block of the refunded payment; null when it is not known. No refund is in an earlier one. */
  readonly paidInBlock: bigint | null;
  readonly paidAt: Date;
}

/** Why a transaction that is in a block is not a refund. */
export type TransferMismatch =
  | 'transaction_failed'
  | 'wrong_token'
  | 'wrong_sender'
  | 'wrong_recipient'
  | 'wrong_amount'
  | 'before_payment';

/** A transfer in a block that could be a refund. */
export interface CandidateTransfer {
  readonly index: number;
  /**
   * Whether the treasury has signed it for the refund's call, or as an authorization for something else. `unknown` where the
   * transfer does not say, such as one without an authorization.
   */
  readonly signedFor: 'this_call' | 'another' | 'unknown';
}

/** What the nodes of a network say about a transaction and a refund. */
export type TransferReading =
  /** No node has it in a block. `isWaiting`: a node reports it as pending. */
  | { readonly kind: 'absent'; readonly isWaiting: boolean }
  /** The nodes do not agree. */
  | { readonly kind: 'unclear' }
  | { readonly kind: 'mismatch'; readonly reason: TransferMismatch; readonly isFinal: boolean }
  /** `transfers` are those in it that could be the refund. */
  | {
      readonly kind: 'found';
      readonly transfers: readonly CandidateTransfer[];
      readonly block: Block;
      readonly isFinal: boolean;
    };

/** Until when a network accepts what was signed for a refund. Null where that limit does not apply, or is not known. */
export interface SignatureEnd {
  /** EVM: the end of the authorization. */
  readonly until: Date | null;
  /** Solana: the last block height of the blockhash. */
  readonly untilHeight: bigint | null;
}

/**
 * What the treasury's wallet signs for a refund.
 * - EVM: an EIP-3009 authorization, as EIP-712 typed data. All authorizations for one call have the same nonce, so the token
 * carries out one of them, even if several are signed and sent.
 * - Solana: an unsigned transaction, base64, whose fee the wallet also pays. We send it, after its signature is recorded.
 */
export type WalletTransfer =
  | {
      readonly family: 'evm';
      readonly chainId: number;
      readonly from: string;
      readonly typedData: object;
      /** In seconds. The token accepts the authorization before then. */
      readonly validBefore: number;
    }
  | { readonly family: 'solana'; readonly from: string; readonly transaction: string };

/** What a wallet has signed, validated where it enters the system. */
export const signedTransfer = z.discriminatedUnion('family', [
  z.strictObject({
    family: z.literal('evm'),
    signature: z.templateLiteral(['0x', z.string().regex(/^[0-9a-fA-F]{130}$/)]),
    validBefore: z.coerce.number().int().positive(),
  }),
  z.strictObject({ family: z.literal('solana'), transaction: z.base64().max(2_000) }),
]);
export type SignedTransfer = z.output<typeof signedTransfer>;

/** A transfer that the treasury has signed, but that has not been sent yet. */
export type AcceptedTransfer =
  /** For the wallet to send with `eth_sendTransaction`. */
  | { readonly family: 'evm'; readonly to: `0x${string}`; readonly data: `0x${string}` }
  /** Its hash and the last block height at which it can land are known before it is sent. Call `send` only after recording them. */
  | {
      readonly family: 'solana';
      readonly transactionHash: string;
      readonly untilHeight: bigint;
      readonly send: () => Promise<void>;
    };

/** Why a signed transfer from a wallet is rejected. */
export type SignatureProblem = 'not_signed_by_treasury' | 'wallet_changed_transfer' | 'would_fail';

/**
 * Reads refunds from one network, and the payments that they refund. Every configured node has to answer, because a refund,
 * unlike a call, can wait.
 */
export interface RefundReader {
  /** The hash in the form that the ledger keeps; null when it is not one of this network. */
  parseHash(text: string): string | null;
  /** The number of the newest block, or the newest slot. */
  height(): Promise<bigint>;
  /** @throws when a node does not answer */
  read(transactionHash: string, transfer: RefundTransfer): Promise<TransferReading>;
  /**
   * Reads the payments to us in a transaction, from any sender.
   * @throws when a node does not answer
   */
  readPayments(transactionHash: string): Promise<PaymentsReading>;
  /**
   * The transactions since a block that may contain the transfer, according to any node. Each one still has to be read. At
   * most a hundred.
   * @throws when a node does not answer
   */
  search(transfer: RefundTransfer, refundId: string, sinceHeight: bigint): Promise<string[]>;
  /**
   * The last block height at which the chain may accept what has been signed by now. Null on EVM networks, where each
   * authorization has its own expiry.
   */
  signedUntilHeight(): Promise<bigint | null>;
  /** Whether no node accepts what was signed with this end anymore; true without an end. */
  isPast(end: SignatureEnd): Promise<boolean>;
  /**
   * Whether a transaction of the treasury may still be waiting for a block.
   * @param since when the refund entered its state, for refunds whose end is not known
   */
  mayBePending(since: Date, end: SignatureEnd): Promise<boolean>;
  /** Whether another transfer can be signed for a refund that was sent, without both being carried out. */
  canSignAgain(sentAt: Date, end: SignatureEnd): Promise<boolean>;
  /** Whether the recipient is a contract, or a wallet with code, which may not be able to use what it is sent. */
  hasCode(recipient: string): Promise<boolean>;
  /** @param signableUntil the latest moment at which the chain may accept it */
  walletTransfer(transfer: RefundTransfer, refundId: string, signableUntil: Date): Promise<WalletTransfer>;
  /** Checks what a wallet has signed: that it is the transfer, signed by the treasury. Sends nothing. */
  acceptSigned(
    transfer: RefundTransfer,
    refundId: string,
    signed: SignedTransfer,
  ): Promise<AcceptedTransfer | SignatureProblem>;
}

/** The most transactions that a search returns. */
export const searchMax = 100;

/** Whether a block is older than the payment that a transfer refunds. */
export function isBeforePayment(
  { paidInBlock, paidAt }: RefundTransfer,
  block: { readonly number: bigint; readonly at: Date | null },
): boolean {
  if (paidInBlock !== null) return block.number < paidInBlock;
  return block.at !== null && block.at < paidAt;
}
