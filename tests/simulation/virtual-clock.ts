import type { Clock } from '@/lib/platform/clock';

/** An ordinary moment, because the app's clocks count from 1970 and treat zero as long ago. */
const defaultStartMs = Date.UTC(2026, 0, 1);

/** The longest delay of the machine's timers. They take a longer one for no delay at all. */
const delayMaxMs = 2 ** 31 - 1;

/** The most timers that run in one turn of the event loop. */
const timersPerTurn = 8;

interface Timer {
  readonly atMs: number;
  /** Decides between timers that are due at the same moment; lower comes first. */
  readonly rank: number;
  readonly owner: VirtualClock;
  readonly run: () => void;
  /** It has run, or was canceled. */
  isOver: boolean;
}

/** Timers by when they are due: a binary heap, because most are canceled long before that. */
class TimerQueue {
  readonly #heap: Timer[] = [];
  #canceled = 0;

  get size(): number {
    return this.#heap.length - this.#canceled;
  }

  /** The timer that is due first. */
  get first(): Timer | undefined {
    while (this.#heap[0]?.isOver) {
      this.#takeFirst();
      this.#canceled -= 1;
    }
    return this.#heap[0];
  }

  add(timer: Timer): void {
    const heap = this.#heap;
    let index = heap.length;
    while (index > 0) {
      const above = (index - 1) >> 1;
      const parent = heap[above];
      if (!parent || !isBefore(timer, parent)) break;
      heap[index] = parent;
      index = above;
    }
    heap[index] = timer;
  }

  shift(): Timer | undefined {
    const { first } = this;
    if (!first) return undefined;
    this.#takeFirst();
    first.isOver = true;
    return first;
  }

  cancel(timer: Timer): void {
    if (timer.isOver) return;
    timer.isOver = true;
    this.#canceled += 1;
  }

  cancelAll(owner: VirtualClock): void {
    for (const timer of this.#heap) if (timer.owner === owner) this.cancel(timer);
  }

  #takeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (!last || heap.length === 0) return;
    let index = 0;
    for (;;) {
      let below = 2 * index + 1;
      const [left, right] = [heap[below], heap[below + 1]];
      if (!left) break;
      if (right && isBefore(right, left)) below += 1;
      const least = right && isBefore(right, left) ? right : left;
      if (!isBefore(least, last)) break;
      heap[index] = least;
      index = below;
    }
    heap[index] = last;
  }
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
  readonly #timers = new TimerQueue();
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
    if (this.#timers.size > 0) throw new Error(`${this.#timers.size} timers are left after ${withinMs} ms`);
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
    const timer = { atMs, rank: this.#random?.() ?? this.#created, owner, run, isOver: false };
    this.#timers.add(timer);
    return () => this.#timers.cancel(timer);
  }

  /** For clocks: forgets all timers of a clock. */
  cancelAll(owner: VirtualClock): void {
    this.#timers.cancelAll(owner);
  }

  async #run(isOver: () => boolean, endMs: number): Promise<void> {
    if (this.#isRunning) throw new Error('time is already passing');
    this.#isRunning = true;
    try {
      do await settle();
      while (await this.#runTurn(isOver, endMs));
    } finally {
      this.#isRunning = false;
    }
  }

  /**
   * Runs timers in one turn of the event loop, which costs more than most of them. All microtasks run before the next immediate
   * of a turn does, so each timer finds everything settled.
   * @returns whether there may be more to do
   */
  #runTurn(isOver: () => boolean, endMs: number): Promise<boolean> {
    return new Promise((resolve, reject) => {
      let left = timersPerTurn;
      let isTurnOver = false;
      const end = (isMore: boolean) => {
        isTurnOver = true;
        resolve(isMore);
      };
      const step = () => {
        left -= 1;
        if (isTurnOver) return;
        // Whoever has asked for another turn gets it before time passes.
        if (immediates() > left) return end(true);
        const next = this.#timers.first;
        if (isOver() || !next || next.atMs > endMs) return end(false);
        this.#timers.shift();
        this.#nowMs = next.atMs;
        try {
          next.run();
        } catch (error) {
          isTurnOver = true;
          reject(error);
        }
        if (left === 0) end(true);
      };
      for (let timer = 0; timer < timersPerTurn; timer += 1) setImmediate(step);
    });
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
  while (immediates() > 0);
}

/** How many callbacks wait for the next turn of the event loop, or for the rest of this one. */
function immediates(): number {
  let count = 0;
  for (const resource of process.getActiveResourcesInfo()) if (resource === 'Immediate') count += 1;
  return count;
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
