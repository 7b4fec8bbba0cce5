import { FairLimit } from './fair-limit';

/** Limits how much runs at once for each key. The rest waits. */
export class KeyedLimits {
  readonly #atOnceMax: number;
  readonly #limits = new Map<string, FairLimit>();

  constructor(atOnceMax: number) {
    this.#atOnceMax = atOnceMax;
  }

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const limit = this.#limits.get(key) ?? new FairLimit({ size: this.#atOnceMax });
    this.#limits.set(key, limit);
    try {
      return await limit.run(work);
    } finally {
      const { running, waiting } = limit.load;
      if (running + waiting === 0 && this.#limits.get(key) === limit) this.#limits.delete(key);
    }
  }
}
