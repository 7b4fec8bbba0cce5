import { createHash, randomBytes } from 'node:crypto';
import { getBase58Decoder } from '@solana/kit';

const slotDurationMs = 400;

/** A blockhash expires after this many blocks. No slot is skipped here, but some were before this chain's first one. */
const blockhashLifetimeSlots = 150;
const skippedSlots = 500;
const finalizedAfterSlots = 32;

export type Commitment = 'processed' | 'confirmed' | 'finalized';
export type SlotClockState = { seed: string; originSlot: number; originMs: number };

/**
 * Slots follow the wall clock, and each slot's blockhash is derived from a seed. So no timer runs, and a stopped chain moves on
 * by the time that passes: its old blockhashes expire.
 */
export class SlotClock {
  private slotsByHash = new Map<string, number>();
  private newestListed = -1;

  constructor(private state: SlotClockState = firstState()) {}

  /** The current slot at a commitment level. */
  slot(commitment: Commitment = 'processed'): number {
    const passed = Math.floor((Date.now() - this.state.originMs) / slotDurationMs);
    const processed = this.state.originSlot + Math.max(passed, 0);
    if (commitment === 'processed') return processed;
    return processed - (commitment === 'confirmed' ? 1 : finalizedAfterSlots);
  }

  /** The commitment level that a slot has reached. */
  commitmentOf(slot: number): Commitment {
    if (slot <= this.slot('finalized')) return 'finalized';
    return slot <= this.slot('confirmed') ? 'confirmed' : 'processed';
  }

  blockhashOf(slot: number): string {
    const digest = createHash('sha256').update(`${this.state.seed}:${slot}`).digest();
    return getBase58Decoder().decode(digest);
  }

  /** How many blocks come before the slot's own block. */
  heightOf(slot: number): number {
    return slot - skippedSlots;
  }

  lastValidBlockHeight(slot: number): number {
    return this.heightOf(slot) + blockhashLifetimeSlots;
  }

  /** Whether a bank at that commitment accepts the blockhash: it must be known and not expired. */
  isBlockhashValid(blockhash: string, commitment: Commitment): boolean {
    const slot = this.findSlotOf(blockhash);
    if (slot === undefined) return false;
    const bankSlot = this.slot(commitment);
    return slot <= bankSlot && this.heightOf(bankSlot) <= this.lastValidBlockHeight(slot);
  }

  /** Moves the chain forward without waiting. */
  advance(slots: number): void {
    this.state = { ...this.state, originSlot: this.state.originSlot + slots };
  }

  toState(): SlotClockState {
    return this.state;
  }

  private findSlotOf(blockhash: string): number | undefined {
    const newest = this.slot();
    const oldest = this.slot('finalized') - blockhashLifetimeSlots;
    for (let slot = Math.max(this.newestListed + 1, oldest); slot <= newest; slot += 1) {
      this.slotsByHash.set(this.blockhashOf(slot), slot);
    }
    this.newestListed = newest;
    for (const [hash, slot] of this.slotsByHash) {
      if (slot >= oldest) break;
      this.slotsByHash.delete(hash);
    }
    return this.slotsByHash.get(blockhash);
  }
}

function firstState(): SlotClockState {
  // High enough that a finalized slot, 150 blockhashes and the slots that were skipped come before the first one.
  return { seed: randomBytes(16).toString('hex'), originSlot: 1_000, originMs: Date.now() };
}
