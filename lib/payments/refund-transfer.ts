import type { Block } from './payment';

/** The transfer that a refund is: its amount of our token from the treasury to its recipient. */
export interface RefundTransfer {
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

/** What the nodes of a network say about a transaction and a refund. */
export type TransferReading =
  /** No node has it in a block. */
  | { readonly kind: 'absent' }
  /** The nodes do not agree. */
  | { readonly kind: 'unclear' }
  | { readonly kind: 'mismatch'; readonly reason: TransferMismatch; readonly isFinal: boolean }
  /** `indexes` are the transfers in it that could be the refund. */
  | {
      readonly kind: 'found';
      readonly indexes: readonly number[];
      readonly block: Block;
      readonly isFinal: boolean;
    };

/**
 * What a wallet signs for a refund. EVM: a transaction for `eth_sendTransaction`. Solana: an unsigned transaction, base64,
 * for the treasury's wallet, which also pays its fee.
 */
export type WalletTransfer =
  | {
      readonly family: 'evm';
      readonly chainId: number;
      readonly from: string;
      readonly to: string;
      readonly data: string;
    }
  | {
      readonly family: 'solana';
      readonly caip2: string;
      readonly from: string;
      readonly transaction: string;
    };

/** Reads refunds from one network. Every node that is configured has to answer: nobody waits for a refund as for a call. */
export interface RefundReader {
  /** The hash in the form that the ledger keeps; null when it is not one of this network. */
  parseHash(text: string): string | null;
  /** The number of the newest block, or the newest slot. */
  height(): Promise<bigint>;
  /** @throws when a node does not answer */
  read(transactionHash: string, transfer: RefundTransfer): Promise<TransferReading>;
  /**
   * The transactions since a block that may hold the transfer, as any node says. To be read, each one. At most a hundred.
   * @throws when a node does not answer
   */
  search(transfer: RefundTransfer, refundId: string, sinceHeight: bigint): Promise<string[]>;
  /**
   * Whether a transaction of the treasury may still be waiting for a block.
   * @param since when the wallet was asked to sign
   */
  mayBePending(since: Date): Promise<boolean>;
  /** Whether the recipient is a contract, or a wallet with code. Such a one may not be able to use what it is sent. */
  hasCode(recipient: string): Promise<boolean>;
  /** @param refundId goes into a memo on Solana */
  walletTransfer(transfer: RefundTransfer, refundId: string): Promise<WalletTransfer>;
}

/** How many transactions a search returns. */
export const searchMax = 100;

/** Whether a block is older than the payment that a transfer refunds. */
export function isBeforePayment(
  { paidInBlock, paidAt }: RefundTransfer,
  block: { readonly number: bigint; readonly at: Date | null },
): boolean {
  if (paidInBlock !== null) return block.number < paidInBlock;
  return block.at !== null && block.at < paidAt;
}
