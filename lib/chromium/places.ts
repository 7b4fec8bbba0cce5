interface Waiting {
  readonly admit: (isIn: boolean) => void;
  readonly timer: NodeJS.Timeout;
}

/** So many may be inside at once, so many more may wait, and none for longer than a while. First come, first served. */
export class Places {
  readonly #size: number;
  readonly #waitingMax: number;
  readonly #waitMs: number;
  #taken = 0;
  #waiting: Waiting[] = [];

  constructor(size: number, waitingMax: number, waitMs: number) {
    this.#size = size;
    this.#waitingMax = waitingMax;
    this.#waitMs = waitMs;
  }

  /** Whether the next to come would be turned away. */
  get isFull(): boolean {
    return this.#taken >= this.#size && this.#waiting.length >= this.#waitingMax;
  }

  /** @returns whether a place was had, which must be left again; false when there are too many, or it took too long */
  async enter(): Promise<boolean> {
    if (this.isFull) return false;
    if (this.#taken < this.#size) {
      this.#taken += 1;
      return true;
    }
    return new Promise((resolve) => {
      const waiting: Waiting = {
        admit: resolve,
        timer: setTimeout(() => {
          this.#waiting = this.#waiting.filter((other) => other !== waiting);
          resolve(false);
        }, this.#waitMs),
      };
      this.#waiting.push(waiting);
    });
  }

  /** Hands the place on to whoever waits longest. */
  leave(): void {
    const next = this.#waiting.shift();
    if (!next) {
      this.#taken -= 1;
      return;
    }
    clearTimeout(next.timer);
    next.admit(true);
  }
}
