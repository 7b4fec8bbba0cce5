/** Runs one piece of work at a time. Urgent work goes first. */
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
      // Passed on without being released, so that nothing else can take it in between.
      if (next) next();
      else this.#isHeld = false;
    }
  }
}
