import type { Platform } from '@/lib/platform/platform';
import { task } from './task';

/** A task that is repeated. */
export interface Repetition {
  /** Starts a run that is not due yet, or one right after the current one. */
  now(): void;
  /** Ends the repetition, and waits for the current run. */
  stop(): Promise<void>;
}

/**
 * Repeats a task until it is stopped, one run at a time. A failure is logged and does not end the repetition.
 * @param everyMs from the start of a run to the start of the next one
 */
export function repeat(
  app: Pick<Platform, 'clock' | 'problems'>,
  name: string,
  everyMs: number,
  work: () => Promise<unknown>,
): Repetition {
  const { clock } = app;
  const repeated = task(app, name, work);
  let isRunning = false;
  let isWanted = false;
  let isStopped = false;
  const run = async () => {
    cancel();
    isRunning = true;
    const dueAt = clock.monotonic() + everyMs;
    await repeated.run();
    isRunning = false;
    if (isStopped) return;
    cancel = clock.after(isWanted ? 0 : Math.max(0, dueAt - clock.monotonic()), run);
    isWanted = false;
  };
  let cancel = clock.after(everyMs, run);
  return {
    now() {
      if (isRunning) isWanted = true;
      else if (!isStopped) void run();
    },
    stop() {
      isStopped = true;
      cancel();
      return repeated.end();
    },
  };
}
