import type { Clock } from '@/lib/platform/clock';
import type { Account } from '@/local/solana/accounts';
import type { TransactionRecord } from '@/local/solana/ledger';
import { areSignaturesValid, type DecodedTransaction } from '@/local/solana/transaction';
import { firstAccounts, State } from './accounts';
import { execute, recordOf } from './bank';
import { type Block, BlockIndex, type Sent } from './blocks';
import { slotsUntilFinal, View } from './view';

const slotMs = 400;
const firstSlot = 1_000;
/** Fewer than slots, because some were skipped before. */
const firstHeight = 500;
/** How many slots have ended when a cluster is made: enough for final blocks, and for nodes that are minutes behind. */
const slotsBefore = 1_000;

/** What happens to a cluster, in shares of its slots or transactions. */
export interface ClusterFaults {
  /** Slots without a block. */
  readonly skipped: number;
  /** Slots whose leader goes on from an earlier block, so that the blocks in between are abandoned. */
  readonly forked: number;
  /** The most slots that a fork abandons. At 1 these are never confirmed ones; final ones are not abandoned at all. */
  readonly forkSlotsMax: number;
  /** Transactions of abandoned blocks that nobody sends again. The others may get into the next block. */
  readonly lostInFork: number;
  /** Transactions that do not reach a leader. */
  readonly lostOnTheWay: number;
  /** The longest that a transaction takes to a leader, in milliseconds. */
  readonly delayMaxMs: number;
}

export const noClusterFaults: ClusterFaults = {
  skipped: 0,
  forked: 0,
  forkSlotsMax: 1,
  lostInFork: 0,
  lostOnTheWay: 0,
  delayMaxMs: 0,
};

export interface ClusterOptions {
  /** The true time, which no process can set. */
  readonly clock: Pick<Clock, 'now'>;
  /** Numbers from 0 to 1 that decide about faults. */
  readonly random?: () => number;
  readonly faults?: ClusterFaults;
}

/**
 * A Solana cluster: leaders make a block in each slot of 400 ms unless they skip it, and forks abandon blocks that are not
 * final. Blocks are made when somebody looks, so no timer runs. All of it follows from the clock, the numbers, and what is
 * sent.
 */
export class SimulatedCluster {
  faults: ClusterFaults;
  readonly blocks = new BlockIndex();
  readonly #clock: Pick<Clock, 'now'>;
  readonly #random: () => number;
  readonly #startMs: number;
  readonly #accounts = firstAccounts();
  readonly #validity = new Map<string, boolean>();
  #queue: Sent[] = [];
  #nextSlot = firstSlot;

  constructor({ clock, random = () => 1, faults = noClusterFaults }: ClusterOptions) {
    this.#clock = clock;
    this.#random = random;
    this.faults = faults;
    this.#startMs = clock.now() - slotsBefore * slotMs;
    this.#add(null, this.#nextSlot, State.first(this.#accounts), [], []);
    this.#nextSlot += 1;
    const { faults: wanted } = this;
    this.faults = noClusterFaults;
    this.#advance();
    this.faults = wanted;
  }

  /** Sends a transaction to the leaders. Its blocks show what becomes of it. */
  submit(decoded: DecodedTransaction, wireBase64: string): void {
    this.#advance();
    const delayMs = Math.floor(this.#random() * this.faults.delayMaxMs);
    if (this.#happens(this.faults.lostOnTheWay)) return;
    this.#queue.push({ atMs: this.#clock.now() + delayMs, transaction: { decoded, wireBase64 } });
  }

  /** Changes accounts in the next block, as transactions of others do. A fork changes them again. */
  change(change: (state: State) => ReadonlyMap<string, Account | null>): void {
    this.#advance();
    this.#queue.push({ atMs: this.#clock.now(), change });
  }

  /** Adds or replaces an account that no block has changed, as if it had always been so. */
  addAccount(address: string, account: Account): void {
    this.#advance();
    if (this.#tip.state.hasChanged(address)) throw new Error(`a block has changed ${address}`);
    this.#accounts.set(address, account);
  }

  /** Abandons the blocks of the last slots that have ended, as far as they are not final. The next block goes on before them. */
  fork(slots: number): void {
    this.#advance();
    this.#abandon(this.#nextSlot, slots);
  }

  /** The cluster as a node sees it that is some slots behind. */
  view(slotsBehind = 0): View {
    this.#advance();
    return new View(this.blocks, this.#nextSlot - 1 - slotsBehind);
  }

  /** Whether all signatures are valid. Remembered, because transactions are sent again and again. */
  hasValidSignatures(decoded: DecodedTransaction): boolean {
    const key = `${decoded.messageHash} ${decoded.signatures.join(' ')}`;
    const isValid = this.#validity.get(key) ?? areSignaturesValid(decoded);
    this.#validity.set(key, isValid);
    return isValid;
  }

  /** The newest block. */
  get head(): Block {
    this.#advance();
    return this.#tip;
  }

  get #tip(): Block {
    return new View(this.blocks, this.#nextSlot).bank('processed');
  }

  #happens(share: number): boolean {
    return this.#random() < share;
  }

  /** Makes the blocks of the slots that have ended. */
  #advance(): void {
    const ended = firstSlot + Math.floor((this.#clock.now() - this.#startMs) / slotMs);
    for (; this.#nextSlot < ended; this.#nextSlot += 1) this.#runSlot(this.#nextSlot);
  }

  #runSlot(slot: number): void {
    const { forked, forkSlotsMax, skipped } = this.faults;
    if (this.#happens(forked)) this.#abandon(slot, 1 + Math.floor(this.#random() * forkSlotsMax));
    if (this.#happens(skipped)) return;
    if (this.#queue.length === 0) {
      const tip = this.#tip;
      this.#add(tip, slot, tip.state, [], []);
      return;
    }
    const endMs = this.#endOf(slot);
    const due = this.#queue
      .filter(({ atMs }) => atMs < endMs)
      .toSorted((one, other) => one.atMs - other.atMs);
    this.#queue = this.#queue.filter(({ atMs }) => atMs >= endMs);
    const parent = this.#tip;
    const view = new View(this.blocks, slot);
    const taken = new Map<string, Sent>();
    const records: TransactionRecord[] = [];
    let { state } = parent;
    for (const sent of due) {
      const { transaction, change } = sent;
      if (change) {
        state = state.with(change(state));
        taken.set(`change ${taken.size}`, sent);
      }
      if (!transaction || taken.has(transaction.decoded.messageHash)) continue;
      const { decoded, wireBase64 } = transaction;
      if (view.rejectionAt(parent, decoded) || !this.hasValidSignatures(decoded)) continue;
      const before = state;
      const result = execute(before, decoded);
      if (result.kind === 'rejected') continue;
      state = state.with(result.changes);
      taken.set(decoded.messageHash, sent);
      const record = recordOf(before, state, decoded, wireBase64, result);
      records.push({ ...record, slot, blockTime: Math.floor(endMs / 1_000) });
    }
    this.#add(parent, slot, state, records, [...taken.values()]);
  }

  #endOf(slot: number): number {
    return this.#startMs + (slot + 1 - firstSlot) * slotMs;
  }

  /** What had got into the abandoned blocks is lost, or on its way again. */
  #abandon(slot: number, slots: number): void {
    const first = slot - Math.min(slots, slotsUntilFinal - 1);
    for (const block of this.blocks.abandonFrom(first, slot)) {
      for (const sent of block.sent)
        if (sent.change || !this.#happens(this.faults.lostInFork)) this.#queue.push(sent);
    }
  }

  #add(
    parent: Block | null,
    slot: number,
    state: State,
    records: readonly TransactionRecord[],
    sent: readonly Sent[],
  ): void {
    const height = parent ? parent.height + 1 : firstHeight;
    const time = Math.floor(this.#endOf(slot) / 1_000);
    this.blocks.add({ slot, height, parent, state, records, sent, time, abandonedAt: null });
  }
}
