import type { Clock } from '@/lib/platform/clock';

interface Timer {
  readonly atMs: number;
  readonly run: () => void;
}

/** A clock that only the test moves. */
export class TestClock implements Clock {
  #nowMs = 0;
  readonly #timers = new Set<Timer>();

  now() {
    return this.#nowMs;
  }

  monotonic() {
    return this.#nowMs;
  }

  date() {
    return new Date(this.#nowMs);
  }

  sleep(ms: number) {
    return new Promise<void>((resolve) => this.after(ms, resolve));
  }

  after(ms: number, run: () => void) {
    const timer = { atMs: this.#nowMs + ms, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Lets time pass, 10 ms at a time. After each step, the work that timers started can finish. */
  async pass(ms: number) {
    for (const endMs = this.#nowMs + ms; this.#nowMs < endMs; ) {
      this.#nowMs += 10;
      for (const timer of [...this.#timers]) {
        if (timer.atMs <= this.#nowMs && this.#timers.delete(timer)) timer.run();
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
