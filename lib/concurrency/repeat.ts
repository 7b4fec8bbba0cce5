import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';

/**
 * Repeats a task until it is stopped, one run at a time. A failure is logged and does not end the repetition.
 * @returns a function that ends the repetition and waits for the current run
 */
export function repeat(
  app: Platform,
  name: string,
  everyMs: number,
  task: () => Promise<unknown>,
): () => Promise<void> {
  const failure = app.problems.get(`task ${name}`);
  let isStopped = false;
  let running: Promise<unknown> = Promise.resolve();
  let cancel: () => void;
  const run = () => {
    running = task()
      .then(
        () => failure.end({ task: name }),
        (error: unknown) =>
          failure.report('error', { task: name, error: describeError(error) }, 'a task fails'),
      )
      .then(() => {
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
