import { FairQueue, type Share } from './fair-queue';

/** The queue has no room for the work, so the work was not started. */
export class QueueFull extends Error {
  override readonly name = 'QueueFull';
}

interface Waiting {
  begin(): void;
  drop(): void;
}

/** Limits how many tasks run at once. The number of waiting tasks is bounded, and their owners take turns. */
export class FairLimit {
  readonly #atOnceMax: number;
  readonly #waiting: FairQueue<Waiting>;
  #running = 0;

  constructor({ atOnceMax, waitingMax }: { atOnceMax: number; waitingMax: number }) {
    this.#atOnceMax = atOnceMax;
    this.#waiting = new FairQueue({ entriesMax: waitingMax, weightMax: waitingMax });
  }

  /** @throws QueueFull when the queue is full and the owner has the most waiting entries, either at once or while waiting */
  async run<T>(share: Share, work: () => Promise<T>): Promise<T> {
    await this.#waitFor(share);
    try {
      return await work();
    } finally {
      this.#running -= 1;
      this.#beginNext();
    }
  }

  #waitFor(share: Share): Promise<void> {
    return new Promise((begin, reject) => {
      const waiting: Waiting = { begin, drop: () => reject(new QueueFull('too much work waits')) };
      for (const dropped of this.#waiting.add(waiting, share)) dropped.drop();
      this.#beginNext();
    });
  }

  #beginNext(): void {
    if (this.#running >= this.#atOnceMax) return;
    const next = this.#waiting.take();
    if (!next) return;
    this.#running += 1;
    next.begin();
  }
}
