import type { Hex } from 'viem';
import type { Transaction } from './raw-transaction';

/** What a node says to a transaction that it does not take. */
export class Rejected extends Error {}

/** A transaction that a process of ours, or somebody else, has broadcast. */
export interface Waiting {
  readonly transaction: Transaction;
  /** In order of arrival, from 1. */
  readonly arrival: number;
}

/** The transactions that are in no block yet. All nodes of a chain share them. */
export class Mempool {
  readonly #bySender = new Map<Hex, Map<number, Waiting>>();
  readonly #byHash = new Map<Hex, Waiting>();
  #arrivals = 0;

  get(hash: Hex): Transaction | undefined {
    return this.#byHash.get(hash)?.transaction;
  }

  get size(): number {
    return this.#byHash.size;
  }

  /**
   * Adds a transaction, or replaces the one with its nonce.
   * @param used how many transactions of the sender are in blocks
   * @param balance what the sender can pay for gas
   * @throws Rejected
   */
  add(transaction: Transaction, used: number, balance: bigint): void {
    const { hash, from, nonce } = transaction;
    if (this.#byHash.has(hash)) throw new Rejected('already known');
    if (nonce < used) throw new Rejected(`nonce too low: next nonce ${used}, tx nonce ${nonce}`);
    const cost = costOf(transaction);
    if (balance < cost) {
      throw new Rejected(
        `insufficient funds for gas * price + value: balance ${balance}, tx cost ${cost}, overshot ${cost - balance}`,
      );
    }
    const ofSender = this.#bySender.get(from) ?? new Map<number, Waiting>();
    const before = ofSender.get(nonce);
    if (before && !outbids(transaction, before.transaction))
      throw new Rejected('replacement transaction underpriced');
    if (before) this.#byHash.delete(before.transaction.hash);
    this.#arrivals += 1;
    const waiting = { transaction, arrival: this.#arrivals };
    ofSender.set(nonce, waiting);
    this.#bySender.set(from, ofSender);
    this.#byHash.set(hash, waiting);
  }

  /** Forgets the transactions of a sender that can no longer be in a block. */
  prune(from: Hex, used: number): void {
    for (const [nonce, { transaction }] of this.#bySender.get(from) ?? [])
      if (nonce < used) this.#delete(transaction);
  }

  /** Loses a transaction, as nodes do that restart or have too many. */
  lose(hash: Hex): void {
    const waiting = this.#byHash.get(hash);
    if (waiting) this.#delete(waiting.transaction);
  }

  #delete({ hash, from, nonce }: Transaction): void {
    this.#byHash.delete(hash);
    this.#bySender.get(from)?.delete(nonce);
    if (this.#bySender.get(from)?.size === 0) this.#bySender.delete(from);
  }

  hashes(): Hex[] {
    return [...this.#byHash.keys()];
  }

  senders(): Hex[] {
    return [...this.#bySender.keys()];
  }

  at(from: Hex, nonce: number): Waiting | undefined {
    return this.#bySender.get(from)?.get(nonce);
  }

  /** The nonce after the transactions that can follow those in blocks without a gap. */
  nextNonce(from: Hex, used: number): number {
    let next = used;
    while (this.#bySender.get(from)?.has(next)) next += 1;
    return next;
  }
}

/** The most that a transaction can cost its sender. */
export function costOf({ gas, maxFeePerGas, value }: Transaction): bigint {
  return BigInt(gas) * maxFeePerGas + value;
}

/** Both fees must be a tenth higher. */
function outbids(next: Transaction, before: Transaction): boolean {
  const isHigher = (one: bigint, other: bigint) => one * 10n >= other * 11n;
  return (
    isHigher(next.maxFeePerGas, before.maxFeePerGas) &&
    isHigher(next.maxPriorityFeePerGas, before.maxPriorityFeePerGas)
  );
}
