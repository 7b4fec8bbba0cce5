import { type Clock, systemClock } from './clock';

/**
 * The time of the database, which all processes of a service share, whatever the clocks of their machines say. It is
 * learned with each heartbeat (lib/db/instance.ts) and goes on evenly in between. Until the first, it is the machine's.
 */
export class SharedClock implements Clock {
  readonly #machine: Clock;
  /** How far the time of the database is ahead of `monotonic`; null until it is known. */
  #aheadMs: number | null = null;

  constructor(machine: Clock = systemClock) {
    this.#machine = machine;
  }

  now(): number {
    return this.#aheadMs === null
      ? this.#machine.now()
      : Math.floor(this.#machine.monotonic() + this.#aheadMs);
  }

  date(): Date {
    return new Date(this.now());
  }

  monotonic(): number {
    return this.#machine.monotonic();
  }

  sleep(ms: number): Promise<void> {
    return this.#machine.sleep(ms);
  }

  after(ms: number, run: () => void): () => void {
    return this.#machine.after(ms, run);
  }

  /**
   * Sets the clock by what the database said. What is known already stays while it can be right: how long the question and
   * the answer took is not known apart.
   * @param databaseMs its time in milliseconds since 1970, read at some moment since `askedAt`
   * @param askedAt by `monotonic`
   */
  follow(databaseMs: number, askedAt: number): void {
    const least = databaseMs - this.#machine.monotonic();
    const most = databaseMs - askedAt;
    const isPossible = this.#aheadMs !== null && this.#aheadMs >= least && this.#aheadMs <= most;
    if (!isPossible) this.#aheadMs = (least + most) / 2;
  }
}
