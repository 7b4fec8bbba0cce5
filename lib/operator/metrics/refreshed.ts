import type { Clock } from '@/lib/platform/clock';
import { inTime } from '@/lib/platform/concurrency/in-time';

/** Values that are read again when they are requested and too old. No caller waits long, and no two reads overlap. */
export class Refreshed {
  readonly #clock: Clock;
  readonly #ageMaxMs: number;
  readonly #read: () => Promise<void>;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | null = null;

  /** @param read never rejects */
  constructor(clock: Clock, ageMaxMs: number, read: () => Promise<void>) {
    this.#clock = clock;
    this.#ageMaxMs = ageMaxMs;
    this.#read = read;
  }

  /** @returns false when the values did not come within `waitMs`; they may still come */
  async refresh(waitMs: number): Promise<boolean> {
    if (this.#clock.monotonic() - this.#readAt >= this.#ageMaxMs) this.#begin();
    if (!this.#reading) return true;
    return inTime(
      this.#clock,
      this.#reading.then(() => true),
      waitMs,
      false,
    );
  }

  #begin(): void {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null;
      this.#readAt = this.#clock.monotonic();
    });
  }
}
