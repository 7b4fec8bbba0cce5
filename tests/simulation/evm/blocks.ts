import type { Hex } from 'viem';
import type { Transaction } from './raw-transaction';
import type { LogEntry, Reader, Value, Writes } from './state';

/** A transaction in a block. */
export interface Mined {
  readonly transaction: Transaction;
  readonly index: number;
  readonly isSuccess: boolean;
  readonly gasUsed: number;
  readonly effectiveGasPrice: bigint;
  readonly logs: readonly LogEntry[];
  /** The number of logs before its own in the block. */
  readonly firstLog: number;
}

export interface Block {
  readonly number: number;
  readonly hash: Hex;
  readonly parent: Block | null;
  /** Seconds. */
  readonly timestamp: number;
  readonly baseFeePerGas: bigint;
  readonly gasUsed: number;
  readonly transactions: readonly Mined[];
  /** What it changed. */
  readonly writes: Writes;
  /** What was there before. */
  readonly before: ReadonlyMap<string, Value | undefined>;
}

/** The blocks of a chain, with those that reorganizations removed. The state after any of them can be read. */
export class Blocks {
  readonly #canonical: Block[] = [];
  readonly #state: Writes = new Map();
  /** In which blocks a transaction is, on any branch. */
  readonly #found = new Map<Hex, Block[]>();
  readonly #byHash = new Map<Hex, Block>();

  get head(): Block {
    const head = this.#canonical.at(-1);
    if (!head) throw new Error('the chain has no block');
    return head;
  }

  /** The state after the head. */
  get state(): Reader {
    return this.#state;
  }

  append(block: Omit<Block, 'before'>): Block {
    const before = new Map<string, Value | undefined>();
    for (const [key, value] of block.writes) {
      before.set(key, this.#state.get(key));
      this.#state.set(key, value);
    }
    const appended = { ...block, before };
    this.#canonical.push(appended);
    this.#byHash.set(block.hash, appended);
    for (const { transaction } of block.transactions) {
      const others = this.#found.get(transaction.hash) ?? [];
      this.#found.set(transaction.hash, [...others, appended]);
    }
    return appended;
  }

  /** Takes the head off the chain. */
  remove(): Block {
    const { head } = this;
    if (this.#canonical.length === 1) throw new Error('the first block stays');
    this.#canonical.pop();
    for (const [key, value] of head.before) {
      if (value === undefined) this.#state.delete(key);
      else this.#state.set(key, value);
    }
    return head;
  }

  /** Changes the state without a block, as the root of all things to come. Only before there are others than the first block. */
  change(key: string, value: Value): void {
    if (this.#canonical.length > 1) throw new Error('the state is changed by transactions from now on');
    this.#state.set(key, value);
  }

  isCanonical(block: Block): boolean {
    return this.#canonical[block.number - (this.#canonical[0]?.number ?? 0)] === block;
  }

  byHash(hash: Hex): Block | undefined {
    return this.#byHash.get(hash);
  }

  /** The blocks that reorganizations have taken off the chain. */
  removed(): readonly Block[] {
    return [...this.#byHash.values()].filter((block) => !this.isCanonical(block));
  }

  /** The block of a height on the branch of another; null when that has not reached it. */
  ancestor(of: Block, number: number): Block | null {
    if (number > of.number || number < 0) return null;
    let block: Block | null = of;
    while (block && block.number > number) {
      if (this.isCanonical(block)) return this.#canonical[number - (this.#canonical[0]?.number ?? 0)] ?? null;
      block = block.parent;
    }
    return block;
  }

  /** The block of a branch that has a transaction; null without one. */
  blockOf(hash: Hex, branch: Block): Block | null {
    const blocks = this.#found.get(hash) ?? [];
    return blocks.find((block) => this.ancestor(branch, block.number) === block) ?? null;
  }

  /** The state after a block. */
  stateAfter(block: Block): Reader {
    if (block === this.head) return this.#state;
    return { get: (key) => this.#valueAfter(block, key) };
  }

  #valueAfter(block: Block, key: string): Value | undefined {
    let at = block;
    while (!this.isCanonical(at)) {
      const written = at.writes.get(key);
      if (written !== undefined || !at.parent) return written;
      at = at.parent;
    }
    for (const later of this.#canonical.slice(at.number + 1 - (this.#canonical[0]?.number ?? 0)))
      if (later.before.has(key)) return later.before.get(key);
    return this.#state.get(key);
  }
}
