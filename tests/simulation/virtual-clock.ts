import type { Clock } from '@/lib/platform/clock';

/** An ordinary moment, because the app's clocks count from 1970 and treat zero as long ago. */
const defaultStartMs = Date.UTC(2026, 0, 1);

/** The longest delay of the machine's timers. They take a longer one for no delay at all. */
const delayMaxMs = 2 ** 31 - 1;

interface Timer {
  readonly atMs: number;
  /** Decides between timers that are due at the same moment; lower comes first. */
  readonly rank: number;
  readonly owner: VirtualClock;
  readonly run: () => void;
}

export interface TimeOptions {
  /** Milliseconds since 1970. */
  readonly startMs?: number;
  /**
   * Numbers from 0 to 1 that decide the order of timers that are due at the same moment. Without it, the timer that was created
   * first comes first.
   */
  readonly random?: () => number;
}

/**
 * Time that passes only when nothing else can run: it jumps to the next timer once all promises that can settle have settled.
 * Equal programs run in equal order, as long as they wait for nothing but each other and these timers. Real I/O is not waited
 * for.
 */
export class VirtualTime {
  #nowMs: number;
  readonly #random: (() => number) | undefined;
  /** In the order in which they run. */
  readonly #timers: Timer[] = [];
  #created = 0;
  #isRunning = false;

  constructor({ startMs = defaultStartMs, random }: TimeOptions = {}) {
    this.#nowMs = startMs;
    this.#random = random;
  }

  /** Milliseconds since 1970, as a correct clock shows them. */
  get nowMs(): number {
    return this.#nowMs;
  }

  /**
   * The clock of one process.
   * @param aheadMs how far the time of its machine is ahead of the correct time
   */
  createClock(aheadMs = 0): VirtualClock {
    return new VirtualClock(this, aheadMs);
  }

  /** Runs everything that happens within this many milliseconds. */
  async pass(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    await this.#run(() => false, endMs);
    this.#nowMs = Math.max(this.#nowMs, endMs);
  }

  /** Runs until no timer is left. @throws Error when some are left after this many milliseconds */
  async runUntilIdle(withinMs: number): Promise<void> {
    await this.#run(() => false, this.#nowMs + withinMs);
    if (this.#timers.length > 0)
      throw new Error(`${this.#timers.length} timers are left after ${withinMs} ms`);
  }

  /** Runs until a condition holds. @throws Error when it does not hold within this many milliseconds */
  async runUntil(isMet: () => boolean, withinMs: number): Promise<void> {
    await this.#run(isMet, this.#nowMs + withinMs);
    if (!isMet()) throw new Error(`the condition is not met within ${withinMs} ms`);
  }

  /** Runs until some work is done. @returns or throws what the work does. @throws Error when it takes longer than this */
  async finish<T>(work: Promise<T>, withinMs: number): Promise<T> {
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    work.then(end, end);
    await this.runUntil(() => isOver, withinMs);
    return work;
  }

  /** For clocks: runs something later. @returns a function that cancels it */
  schedule(owner: VirtualClock, delayMs: number, run: () => void): () => void {
    if (delayMs > delayMaxMs) throw new Error(`a timer of ${delayMs} ms runs at once on a real machine`);
    // As on a real machine, a timer takes at least a millisecond, so that waiting for one in a loop takes time.
    const atMs = this.#nowMs + (delayMs >= 1 ? Math.trunc(delayMs) : 1);
    this.#created += 1;
    const timer = { atMs, rank: this.#random?.() ?? this.#created, owner, run };
    const index = this.#timers.findIndex((other) => isBefore(timer, other));
    this.#timers.splice(index < 0 ? this.#timers.length : index, 0, timer);
    return () => this.#remove((other) => other === timer);
  }

  /** For clocks: forgets all timers of a clock. */
  cancelAll(owner: VirtualClock): void {
    this.#remove((timer) => timer.owner === owner);
  }

  #remove(isGone: (timer: Timer) => boolean): void {
    for (let index = this.#timers.length - 1; index >= 0; index -= 1) {
      const timer = this.#timers[index];
      if (timer && isGone(timer)) this.#timers.splice(index, 1);
    }
  }

  async #run(isOver: () => boolean, endMs: number): Promise<void> {
    if (this.#isRunning) throw new Error('time is already passing');
    this.#isRunning = true;
    try {
      for (;;) {
        await settle();
        const next = this.#timers[0];
        if (isOver() || !next || next.atMs > endMs) return;
        this.#timers.shift();
        this.#nowMs = next.atMs;
        next.run();
      }
    } finally {
      this.#isRunning = false;
    }
  }
}

function isBefore(one: Timer, other: Timer): boolean {
  return one.atMs < other.atMs || (one.atMs === other.atMs && one.rank < other.rank);
}

/**
 * Resolves when no promise can settle any more without a timer or I/O. A turn of the event loop ends only when no microtask is
 * left, and `setImmediate`, with which some code waits for others of the same moment, asks for another turn.
 */
async function settle(): Promise<void> {
  do await new Promise((resolve) => setImmediate(resolve));
  while (process.getActiveResourcesInfo().includes('Immediate'));
}

/** The clock of one process. */
export class VirtualClock implements Clock {
  readonly time: VirtualTime;
  #aheadMs: number;
  /** The time of the machine when its process began. Setting that time does not change it. */
  readonly #monotonicAheadMs: number;
  #isKilled = false;

  constructor(time: VirtualTime, aheadMs: number) {
    this.time = time;
    this.#aheadMs = aheadMs;
    this.#monotonicAheadMs = aheadMs;
  }

  now(): number {
    return this.time.nowMs + this.#aheadMs;
  }

  date(): Date {
    return new Date(this.now());
  }

  monotonic(): number {
    return this.time.nowMs + this.#monotonicAheadMs;
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  after(ms: number, run: () => void): () => void {
    return this.#isKilled ? () => undefined : this.time.schedule(this, ms, run);
  }

  /** Sets the time of the machine forward, or back when negative. */
  jump(ms: number): void {
    this.#aheadMs += ms;
  }

  /** The process has been killed: its timers and sleeps never end, neither those under way nor new ones. */
  kill(): void {
    this.#isKilled = true;
    this.time.cancelAll(this);
  }
}
