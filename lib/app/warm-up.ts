import type { ServedApp } from '@/lib/http/http-app';
import type { Steps } from '@/lib/platform/concurrency/steps';
import { task } from '@/lib/platform/concurrency/task';
import { prepareSearches } from '@/lib/services/airports/find-airports';

type IdleApp = Pick<ServedApp, 'clock' | 'timings' | 'throttle' | 'problems'>;

/**
 * Prepares what the first requests would wait for, a while after the start and while no paid request is in progress. Loading
 * the framework cannot be divided: its modules load each other, which holds up all requests.
 * @throws Error when the framework cannot be loaded
 */
export async function warmUp(app: IdleApp, loadFramework: () => Promise<unknown>): Promise<void> {
  const { clock, timings } = app;
  const { afterMs, quietWithinMs } = timings.warmUp;
  await clock.sleep(afterMs);
  await untilQuiet(app, quietWithinMs);
  await loadFramework();
  await task(app, 'warm up', () => inIdleTime(app, prepareSearches())).run();
}

async function untilQuiet({ clock, timings, throttle }: IdleApp, withinMs: number): Promise<void> {
  const giveUpAt = clock.monotonic() + withinMs;
  while (throttle.isBusy && clock.monotonic() < giveUpAt) await clock.sleep(timings.throttle.afterPaidMs);
}

/** Does work in slices, only while no paid request is in progress. */
export async function inIdleTime(app: IdleApp, steps: Steps<unknown>): Promise<void> {
  const { clock, timings } = app;
  for (;;) {
    await clock.sleep(timings.warmUp.pauseMs);
    await untilQuiet(app, Number.POSITIVE_INFINITY);
    const endsAt = clock.monotonic() + timings.warmUp.sliceMs;
    do if (steps.next().done) return;
    while (clock.monotonic() < endsAt);
  }
}
