/** Lets one piece of work run at a time; what is urgent goes ahead of everything that waits and is not. */
export class UrgentLock {
  readonly #urgent: (() => void)[] = [];
  readonly #others: (() => void)[] = [];
  #isHeld = false;

  async run<T>(isUrgent: boolean, work: () => Promise<T>): Promise<T> {
    if (this.#isHeld) {
      await new Promise<void>((resolve) => (isUrgent ? this.#urgent : this.#others).push(resolve));
    }
    this.#isHeld = true;
    try {
      return await work();
    } finally {
      const next = this.#urgent.shift() ?? this.#others.shift();
      // Handed on without being released, so that nobody who comes in between is faster.
      if (next) next();
      else this.#isHeld = false;
    }
  }
}
