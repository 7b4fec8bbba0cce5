import type { Platform } from '@/lib/platform/platform';
import { task } from './task';

/**
 * Repeats a task until it is stopped, one run at a time. A failure is logged and does not end the repetition.
 * @returns a function that ends the repetition and waits for the current run
 */
export function repeat(
  app: Pick<Platform, 'clock' | 'problems'>,
  name: string,
  everyMs: number,
  work: () => Promise<unknown>,
): () => Promise<void> {
  const repeated = task(app, name, work);
  let isStopped = false;
  let running: Promise<void> = Promise.resolve();
  let cancel: () => void;
  const run = () => {
    running = repeated.run().then(() => {
      if (!isStopped) cancel = app.clock.after(everyMs, run);
    });
  };
  cancel = app.clock.after(everyMs, run);
  return async () => {
    isStopped = true;
    cancel();
    await running;
  };
}
