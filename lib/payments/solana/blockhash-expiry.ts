import type { Connection, VersionedTransaction } from '@solana/web3.js';
import type { Head } from './solana-statuses';

/** How many slots are remembered. Each takes a few hundred bytes, and can be read again. */
const keptMax = 10_000;

/** Finds the slot from which a transaction can no longer land, because its blockhash has expired. */
export class Expiry {
  readonly #connection: Connection;
  readonly #slots = new Map<string, bigint>();

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * The slot from which a transaction can no longer get into a block; null while it still can. It is at least the slot of the
   * head given when it is first asked for. A count of blocks alone does not decide this, because the node that verified the
   * transaction may have been far behind. Callers ask before they look for the transaction, up to that slot. The first slot
   * that a node returns is kept: nodes that are always a few slots behind have passed it at the next attempt.
   * @param key what the caller looks for: a signature, or the digest of a message
   */
  async slotOf(key: string, { message }: VersionedTransaction, { slot }: Head): Promise<bigint | null> {
    const known = this.#slots.get(key);
    if (known !== undefined) return known;
    const config = { commitment: 'confirmed', minContextSlot: Number(slot) } as const;
    const { context, value } = await this.#connection.isBlockhashValid(message.recentBlockhash, config);
    if (value) return null;
    const end = BigInt(Math.max(context.slot, config.minContextSlot));
    if (this.#slots.size >= keptMax) this.#slots.clear();
    this.#slots.set(key, end);
    return end;
  }
}
