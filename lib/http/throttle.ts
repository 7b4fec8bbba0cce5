import { FairLimit, type Lease } from '@/lib/platform/concurrency/fair-limit';
import { inTime } from '@/lib/platform/concurrency/in-time';
import type { Platform } from '@/lib/platform/platform';
import type { Siblings } from '@/lib/platform/siblings';

/** How many unpaid responses are sent at a time while paid requests are under way. */
const answersPerTick = 2;
const waitingCallsMax = 2_000;
/** More are sent as fast as unpaid responses, because each keeps its request in memory. */
const waitingRefusalsMax = 500;

type Paying = Pick<Siblings, 'tellPaying' | 'onPaying'>;

/** How many free calls run at a time while nobody pays. The next paid request waits for no more than these. */
const callsAtOnce = 4;

/**
 * Lets paid requests past a flood of free ones. A paid call takes about ten ticks of the event loop, and in each it
 * would wait for everything that has arrived. So while a paid call is in progress, and for a moment after it, because
 * its buyer may send another, unpaid work is done a little at a time. Otherwise it is done at once. Other processes on
 * the machine count too, because they share its cores.
 */
export class Throttle {
  readonly #app: Pick<Platform, 'clock' | 'timings'>;
  readonly #siblings: Paying | null;
  readonly #unpaid: PacedQueue;
  readonly #refusals: PacedQueue;
  readonly #calls = new FairLimit({
    size: () => (this.isBusy ? 1 : callsAtOnce),
    waitingMax: waitingCallsMax,
  });
  #paying = 0;
  /** When the last paid request ended. */
  #paidAt = Number.NEGATIVE_INFINITY;
  /** Whether the siblings have just been told that paid requests are in progress here. */
  #isTold = false;

  constructor(app: Pick<Platform, 'clock' | 'timings'>, siblings: Paying | null = null) {
    this.#app = app;
    this.#siblings = siblings;
    const { clock, timings } = app;
    const isBusy = () => this.isBusy;
    const { unpaidPauseMs, callPauseMs } = timings.throttle;
    this.#unpaid = new PacedQueue(clock, isBusy, { atOnce: answersPerTick, pauseMs: unpaidPauseMs });
    this.#refusals = new PacedQueue(clock, isBusy, { atOnce: 1, pauseMs: callPauseMs });
    siblings?.onPaying(() => {
      this.#paidAt = app.clock.monotonic();
    });
  }

  /** How many paid requests are under way. */
  get paying(): number {
    return this.#paying;
  }

  /** How many unpaid responses and free calls wait for their turn. */
  get waiting(): { readonly unpaidAnswers: number; readonly freeCalls: number } {
    return { unpaidAnswers: this.#unpaid.size + this.#refusals.size, freeCalls: this.#calls.load.waiting };
  }

  /** Whether a paid request is in progress at any process of the machine, or has just been. */
  get isBusy(): boolean {
    const { clock, timings } = this.#app;
    return this.#paying > 0 || clock.monotonic() - this.#paidAt < timings.throttle.afterPaidMs;
  }

  /**
   * Counts a paid request from now on.
   * @returns a function that ends it, to be called once
   */
  beginPaying(): () => void {
    this.#paying += 1;
    this.#tellSiblings();
    return () => {
      this.#paying -= 1;
      this.#paidAt = this.#app.clock.monotonic();
    };
  }

  /** Tells the siblings often enough that they remember it as long as paid requests are in progress. */
  #tellSiblings(): void {
    if (!this.#siblings || this.#isTold) return;
    this.#isTold = true;
    this.#siblings.tellPaying();
    const { clock, timings } = this.#app;
    clock.after(timings.throttle.afterPaidMs / 2, () => {
      this.#isTold = false;
      if (this.#paying > 0) this.#tellSiblings();
    });
  }

  /** Resolves when an unpaid request may be answered, in order of arrival. */
  admitUnpaid(): Promise<void> {
    return this.#unpaid.wait();
  }

  /**
   * Resolves when a request may be refused that had to be read before its limit could be checked. That costs several times
   * as much as an unpaid response, and a client that has its refusal sends the next request.
   */
  admitRefusal(): Promise<void> {
    return this.#refusals.size < waitingRefusalsMax ? this.#refusals.wait() : this.admitUnpaid();
  }

  /**
   * Resolves when unpaid work may begin. Owners take turns.
   * @param owners the client's address, then the payer, if known
   * @param done resolves when the work is over
   * @returns false when the queue is full
   */
  async admitCall([group, payer]: readonly [string, string?], done: Promise<unknown>): Promise<boolean> {
    const lease = await this.#calls.enter({ group, payer });
    if (lease) void this.#hold(lease, done);
    return lease !== null;
  }

  /** Counts a call as running until it is done or `callMaxMs` has passed, so that one that waits itself does not hold up others. */
  async #hold(lease: Lease, done: Promise<unknown>): Promise<void> {
    const { clock, timings } = this.#app;
    const wasBusy = this.isBusy;
    await inTime(clock, Promise.allSettled([done]), timings.throttle.callMaxMs, null);
    if (wasBusy) await clock.sleep(timings.throttle.callPauseMs);
    lease.release();
  }
}

/** Lets responses go in the order in which they came: a few at a time with a pause while somebody pays, otherwise all at once. */
class PacedQueue {
  readonly #clock: Platform['clock'];
  readonly #isBusy: () => boolean;
  readonly #pace: { readonly atOnce: number; readonly pauseMs: number };
  readonly #waiting: (() => void)[] = [];
  #isReleasing = false;

  constructor(clock: Platform['clock'], isBusy: () => boolean, pace: { atOnce: number; pauseMs: number }) {
    this.#clock = clock;
    this.#isBusy = isBusy;
    this.#pace = pace;
  }

  get size(): number {
    return this.#waiting.length;
  }

  wait(): Promise<void> {
    if (!this.#isBusy() && this.#waiting.length === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      void this.#release();
    });
  }

  async #release(): Promise<void> {
    if (this.#isReleasing) return;
    this.#isReleasing = true;
    while (this.#waiting.length > 0) {
      await this.#clock.sleep(this.#pace.pauseMs);
      const count = this.#isBusy() ? this.#pace.atOnce : this.#waiting.length;
      for (const resolve of this.#waiting.splice(0, count)) resolve();
    }
    this.#isReleasing = false;
  }
}
