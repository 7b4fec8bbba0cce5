import type { ServerResponse } from 'node:http';

/** While somebody pays: so many unpaid answers at a time, then a pause for everybody else's work. */
const answersPerTurn = 2;
const pauseMs = 2;

/**
 * Lets paying requests past a flood of unpaid ones. A paid call takes some ten turns of the event loop, each of which
 * would wait for every unpaid request that has arrived; so while any is under way, unpaid answers are given a few at a
 * time, in the order of their requests. With nobody paying they are given at once.
 */
export class UnpaidLane {
  readonly #waiting: (() => void)[] = [];
  #paying = 0;
  #isMoving = false;

  /** Counts a request as paying until its answer is sent or its connection is gone. */
  giveWayUntilClosed(res: ServerResponse): void {
    this.#paying += 1;
    res.once('close', () => {
      this.#paying -= 1;
    });
  }

  /** Resolves when an unpaid request may be answered. */
  turn(): Promise<void> {
    if (this.#paying === 0 && this.#waiting.length === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#move();
    });
  }

  #move(): void {
    if (this.#isMoving) return;
    this.#isMoving = true;
    const next = () => {
      const answers = this.#paying === 0 ? this.#waiting.length : answersPerTurn;
      for (const resolve of this.#waiting.splice(0, answers)) resolve();
      if (this.#waiting.length > 0) setTimeout(next, pauseMs);
      else this.#isMoving = false;
    };
    setTimeout(next, pauseMs);
  }
}
