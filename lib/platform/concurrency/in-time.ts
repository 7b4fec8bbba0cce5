import type { Clock } from '@/lib/platform/clock';

/** How long this process has, after it was busy, to read what arrived meanwhile. Part of each limit. */
const readingMs = 100;

/**
 * Runs something after `ms`, unless it is canceled. A process that was busy runs its timers before it reads what has arrived, so
 * the last moments of the limit are counted separately: what arrived in time is then read before the limit is over.
 * @returns a function that cancels it
 */
export function afterReading(clock: Pick<Clock, 'after'>, ms: number, run: () => void): () => void {
  const lastMs = Math.min(Math.max(ms, 0), readingMs);
  let cancel = clock.after(ms - lastMs, () => {
    cancel = clock.after(lastMs, run);
  });
  return () => cancel();
}

/**
 * Waits for work to finish, but no longer than `ms`. The work itself continues. Work that finished in time counts, even if this
 * process was too busy to notice.
 * @returns its result, or `late`
 */
export function inTime<T, Late>(
  clock: Pick<Clock, 'after'>,
  work: Promise<T>,
  ms: number,
  late: Late,
): Promise<T | Late> {
  return new Promise((resolve, reject) => {
    const cancel = afterReading(clock, ms, () => resolve(late));
    work.then(resolve, reject).finally(cancel);
  });
}
