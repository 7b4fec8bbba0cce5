import { createHash } from 'node:crypto';
import { PublicKey } from '@solana/web3.js';
import type { Account } from '@/local/solana/accounts';
import type { TransactionRecord } from '@/local/solana/ledger';
import type { DecodedTransaction } from '@/local/solana/transaction';
import type { State } from './accounts';

/** What a leader has been sent: a transaction, or a change that transactions of others make. */
export interface Sent {
  readonly atMs: number;
  readonly transaction?: { readonly decoded: DecodedTransaction; readonly wireBase64: string };
  readonly change?: (state: State) => ReadonlyMap<string, Account | null>;
}

export interface Block {
  readonly slot: number;
  readonly height: number;
  readonly parent: Block | null;
  readonly state: State;
  /** In the order in which they ran. */
  readonly records: readonly TransactionRecord[];
  readonly sent: readonly Sent[];
  /** Seconds since 1970. */
  readonly time: number;
  /** The slot in which the cluster went on from an earlier block; null while it goes on from this one. */
  abandonedAt: number | null;
}

/** All blocks that there ever were, and how to find them. */
export class BlockIndex {
  /** By slot. */
  readonly #counting: Block[] = [];
  readonly #abandoned: Block[] = [];
  readonly #byHash = new Map<string, Block>();
  readonly #hashes = new Map<Block, string>();
  readonly #bySignature = new Map<string, Block[]>();
  readonly #byMessage = new Map<string, Block[]>();
  readonly #byAddress = new Map<string, Set<Block>>();

  add(block: Block): void {
    this.#counting.push(block);
    for (const { signature, messageHash, accountKeys } of block.records) {
      this.#bySignature.set(signature, [...this.withSignature(signature), block]);
      this.#byMessage.set(messageHash, [...this.withMessage(messageHash), block]);
      for (const address of accountKeys) {
        const blocks = this.#byAddress.get(address) ?? new Set();
        this.#byAddress.set(address, blocks.add(block));
      }
    }
  }

  /** @returns the blocks from the slot `first` on, which are abandoned in the slot `at` */
  abandonFrom(first: number, at: number): readonly Block[] {
    const index = this.#counting.findLastIndex(({ slot }) => slot < first) + 1;
    const gone = this.#counting.splice(index);
    for (const block of gone) block.abandonedAt = at;
    this.#abandoned.push(...gone);
    return gone;
  }

  /** The blocks that the cluster did not go on from. */
  get abandoned(): readonly Block[] {
    return this.#abandoned;
  }

  /** The last block that is visible in a slot. */
  lastAt(slot: number): Block {
    const counting = this.#counting.findLast((block) => isVisibleAt(block, slot));
    const abandoned = this.#abandoned.findLast((block) => isVisibleAt(block, slot));
    const last = !counting || (abandoned && abandoned.slot > counting.slot) ? abandoned : counting;
    if (!last) throw new Error(`slot ${slot} is before the first block`);
    return last;
  }

  /** Base58. Made when it is asked for, because nobody can use a blockhash that nobody was told. */
  hashOf(block: Block): string {
    const known = this.#hashes.get(block);
    if (known) return known;
    // No slot ever has two blocks.
    const digest = createHash('sha256').update(`the block of slot ${block.slot}`).digest();
    const hash = new PublicKey(digest).toBase58();
    this.#hashes.set(block, hash);
    this.#byHash.set(hash, block);
    return hash;
  }

  withHash(hash: string): Block | undefined {
    return this.#byHash.get(hash);
  }

  withSignature(signature: string): readonly Block[] {
    return this.#bySignature.get(signature) ?? [];
  }

  withMessage(messageHash: string): readonly Block[] {
    return this.#byMessage.get(messageHash) ?? [];
  }

  /** In no particular order. */
  withAddress(address: string): readonly Block[] {
    return [...(this.#byAddress.get(address) ?? [])];
  }
}

/** Whether a node that has seen everything until a slot counts a block. */
export function isVisibleAt({ slot, abandonedAt }: Block, at: number): boolean {
  return slot <= at && (abandonedAt === null || abandonedAt > at);
}
