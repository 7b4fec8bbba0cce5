/**
 * Runs items in groups. A single item runs at once. Items that arrive while `inFlightMax` groups are running form the next
 * group. Groups grow with the load this way, and no item waits for a timer.
 */
export class GroupCommit<Item, Result> {
  readonly #run: (items: readonly Item[]) => Promise<readonly Result[]>;
  readonly #sizeMax: number;
  readonly #inFlightMax: number;
  readonly #pause: (() => Promise<void>) | undefined;
  readonly #waiting: { item: Item; resolve: (result: Result) => void; reject: (error: unknown) => void }[] =
    [];
  #inFlight = 0;
  #scheduled = false;

  /**
   * @param run returns a result for every item, in order; when it throws, every item of the group gets the error
   * @param limits a group stays in flight until it has its results and, unless the next group is full, `pause` has ended
   */
  constructor(
    run: (items: readonly Item[]) => Promise<readonly Result[]>,
    limits: { sizeMax: number; inFlightMax: number; pause?: () => Promise<void> },
  ) {
    this.#run = run;
    this.#sizeMax = limits.sizeMax;
    this.#inFlightMax = limits.inFlightMax;
    this.#pause = limits.pause;
  }

  /** How many items wait for the next group. */
  get waiting(): number {
    return this.#waiting.length;
  }

  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      this.#schedule();
    });
  }

  /** Waits for the end of the current event loop turn, so that items that arrive together run together. */
  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      while (this.#waiting.length > 0 && this.#inFlight < this.#inFlightMax) void this.#next();
    });
  }

  async #next(): Promise<void> {
    const group = this.#waiting.splice(0, this.#sizeMax);
    this.#inFlight += 1;
    try {
      const results = await this.#run(group.map(({ item }) => item));
      group.forEach(({ resolve, reject }, index) => {
        const result = results[index];
        if (result === undefined) reject(new Error('a group run left an item unanswered'));
        else resolve(result);
      });
    } catch (error) {
      for (const { reject } of group) reject(error);
    } finally {
      // A full group gains nothing from a pause.
      if (this.#pause && this.#waiting.length < this.#sizeMax) await this.#pause();
      this.#inFlight -= 1;
      if (this.#waiting.length > 0) this.#schedule();
    }
  }
}
