import pLimit, { type LimitFunction } from 'p-limit';

/** Limits how much runs at once for each key. The rest waits. */
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
      // The counts go down only after this promise is settled.
      setImmediate(() => {
        if (limit.activeCount + limit.pendingCount === 0 && this.#limits.get(key) === limit) {
          this.#limits.delete(key);
        }
      });
    }
  }
}
