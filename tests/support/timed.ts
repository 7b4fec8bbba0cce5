import type { VirtualClock } from '../simulation/virtual-clock';

/**
 * Waits for work with real connections while a virtual clock moves.
 * @returns the result, or the error that the work failed with, and how long it took on that clock
 */
export async function timedOn<T>(
  clock: VirtualClock,
  work: Promise<T>,
): Promise<{ value: T | Error; ms: number }> {
  const startedAt = clock.monotonic();
  let ended: { value: T | Error; ms: number } | null = null;
  const end = (value: T | Error) => {
    ended = { value, ms: clock.monotonic() - startedAt };
  };
  work.then(end, end);
  while (!ended) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    if (!ended) await clock.time.pass(50);
  }
  return ended;
}
