import type { Clock } from '@/lib/platform/clock';

/** A value that is read again when somebody asks for it and it is too old. Reads never overlap, however many ask. */
export class KeptValue<T> {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #ageMaxMs: number;
  readonly #read: () => Promise<T>;
  #kept: { readonly value: T; readonly atMs: number } | null = null;
  #reading: Promise<T> | null = null;

  constructor(clock: Pick<Clock, 'monotonic'>, ageMaxMs: number, read: () => Promise<T>) {
    this.#clock = clock;
    this.#ageMaxMs = ageMaxMs;
    this.#read = read;
  }

  /** Rejects when the value cannot be read. Nothing of that is kept, so the next one who asks begins again. */
  get(): Promise<T> {
    const kept = this.#kept;
    if (kept && this.#clock.monotonic() - kept.atMs < this.#ageMaxMs) return Promise.resolve(kept.value);
    this.#reading ??= this.#begin().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #begin(): Promise<T> {
    const value = await this.#read();
    this.#kept = { value, atMs: this.#clock.monotonic() };
    return value;
  }
}
