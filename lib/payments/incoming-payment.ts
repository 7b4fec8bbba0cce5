import type { Block } from './outcome';

/** A payment to us as recorded on its chain, with what identifies it in the ledger. */
export interface IncomingPayment {
  /** Checksummed EVM address, or the base58 owner on Solana; null when its transaction has more than one payer. */
  readonly payer: string | null;
  /** As in Payment. */
  readonly authorization: string;
  readonly amountAtomic: bigint;
}

/** What the nodes of a network say about the payments to us in a transaction. */
export type PaymentsReading =
  /** No node has it in a block. */
  | { readonly kind: 'absent' }
  /** The nodes do not agree. */
  | { readonly kind: 'unclear' }
  | {
      readonly kind: 'found';
      /** Empty when the transaction failed, or pays nothing to us. */
      readonly payments: readonly IncomingPayment[];
      readonly block: Block;
      readonly isFinal: boolean;
    };
