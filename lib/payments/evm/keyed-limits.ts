import pLimit, { type LimitFunction } from 'p-limit';

/** Bounds how much runs at once for each of many keys; what is over waits its turn. */
export class KeyedLimits {
  readonly #atOnceMax: number;
  readonly #limits = new Map<string, LimitFunction>();

  constructor(atOnceMax: number) {
    this.#atOnceMax = atOnceMax;
  }

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const limit = this.#limits.get(key) ?? pLimit(this.#atOnceMax);
    this.#limits.set(key, limit);
    try {
      return await limit(work);
    } finally {
      // Counted down only after this one's promise is settled.
      setImmediate(() => {
        if (limit.activeCount + limit.pendingCount === 0 && this.#limits.get(key) === limit) {
          this.#limits.delete(key);
        }
      });
    }
  }
}
