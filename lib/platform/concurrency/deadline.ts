import type { Clock } from '@/lib/platform/clock';
import { inTime } from './in-time';

/** The moment by which a caller has to have an answer, shared by all the work that it waits for. */
export class Deadline {
  readonly #clock: Pick<Clock, 'monotonic' | 'after'>;
  #at: number;

  constructor(clock: Pick<Clock, 'monotonic' | 'after'>, ms: number) {
    this.#clock = clock;
    this.#at = clock.monotonic() + ms;
  }

  get leftMs(): number {
    return this.#at - this.#clock.monotonic();
  }

  /** Moves the deadline by the time that was spent on work that it does not limit. */
  extend(ms: number): void {
    this.#at += ms;
  }

  /**
   * Waits for work, but not beyond the deadline. The work itself continues.
   * @param options `spareMs`: how much earlier to stop waiting; `leastMs`: how long to wait in any case
   * @returns its result, or `late`
   */
  within<T, Late>(
    work: Promise<T>,
    late: Late,
    { spareMs = 0, leastMs = 0 }: { readonly spareMs?: number; readonly leastMs?: number } = {},
  ): Promise<T | Late> {
    return inTime(this.#clock, work, Math.max(this.leftMs - spareMs, leastMs), late);
  }
}

/** Waits for work until the deadline, or for as long as it takes if there is none. @returns its result, or `late` */
export function within<T, Late>(
  deadline: Deadline | undefined,
  work: Promise<T>,
  late: Late,
  options?: { readonly leastMs: number },
): Promise<T | Late> {
  return deadline ? deadline.within(work, late, options) : work;
}
