import type { Clock } from '@/lib/platform/clock';

/** Waits for work to finish, but no longer than `ms`. The work itself continues. @returns its result, or `late` */
export function inTime<T, Late>(
  clock: Pick<Clock, 'after'>,
  work: Promise<T>,
  ms: number,
  late: Late,
): Promise<T | Late> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(ms, () => resolve(late));
    work.then(resolve, reject).finally(cancel);
  });
}
