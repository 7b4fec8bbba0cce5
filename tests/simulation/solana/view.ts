import type { TransactionRecord } from '@/local/solana/ledger';
import type { Commitment } from '@/local/solana/slot-clock';
import type { DecodedTransaction } from '@/local/solana/transaction';
import { type Block, type BlockIndex, isVisibleAt } from './blocks';

/** How many slots after its own a block is confirmed, and final. */
const slotsUntil = { processed: 0, confirmed: 1, finalized: 32 } as const;
export const slotsUntilFinal = slotsUntil.finalized;
/** A blockhash is accepted by nodes that are at most this many blocks after its own block, and by the block after them. */
export const blockhashLifetime = 150;

export interface Found {
  readonly record: TransactionRecord;
  readonly block: Block;
}

/** The cluster as a node sees it that has seen all that happened until a slot. */
export class View {
  readonly blocks: BlockIndex;
  readonly slot: number;

  constructor(blocks: BlockIndex, slot: number) {
    this.blocks = blocks;
    this.slot = slot;
  }

  /** The last block at a commitment level. */
  bank(commitment: Commitment): Block {
    let block = this.blocks.lastAt(this.slot);
    while (block.parent && block.slot > this.slot - slotsUntil[commitment]) block = block.parent;
    return block;
  }

  sees(block: Block): boolean {
    return isVisibleAt(block, this.slot);
  }

  commitmentOf({ slot }: Block): Commitment {
    if (slot <= this.slot - slotsUntil.finalized) return 'finalized';
    return slot <= this.slot - slotsUntil.confirmed ? 'confirmed' : 'processed';
  }

  /** Whether a block after this one would accept a blockhash. */
  isBlockhashValid(hash: string, bank: Block): boolean {
    const block = this.blocks.withHash(hash);
    if (!block || !this.sees(block) || block.slot > bank.slot) return false;
    return bank.height - block.height <= blockhashLifetime;
  }

  /** Why a block after this one would not take a transaction, before it runs it and apart from its signatures. */
  rejectionAt(bank: Block, { message, messageHash }: DecodedTransaction): string | null {
    if (!this.isBlockhashValid(message.blockhash, bank)) return 'BlockhashNotFound';
    const isIn = (block: Block) => this.sees(block) && block.slot <= bank.slot;
    return this.blocks.withMessage(messageHash).some(isIn) ? 'AlreadyProcessed' : null;
  }

  find(signature: string): Found | null {
    const block = this.blocks.withSignature(signature).find((one) => this.sees(one));
    const record = block?.records.find((one) => one.signature === signature);
    return block && record ? { block, record } : null;
  }

  /** The transactions that name an address, newest first. */
  list(address: string): readonly Found[] {
    return this.blocks
      .withAddress(address)
      .filter((block) => this.sees(block))
      .toSorted((one, other) => other.slot - one.slot)
      .flatMap((block) =>
        block.records
          .filter(({ accountKeys }) => accountKeys.some((key) => key === address))
          .map((record) => ({ block, record }))
          .reverse(),
      );
  }

  /** The block of a slot; null when the cluster has skipped it. */
  blockIn(slot: number, bank: Block): Block | null {
    let block: Block | null = bank;
    while (block && block.slot > slot) block = block.parent;
    return block?.slot === slot ? block : null;
  }
}
