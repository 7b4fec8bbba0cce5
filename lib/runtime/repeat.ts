import { describeError, log } from '@/lib/log';

/**
 * Repeats a task, never two at once, until it is stopped; a failure is logged and does not end the repetition.
 * @returns a function that ends the repetition and waits for what runs
 */
export function repeat(name: string, everyMs: number, task: () => Promise<unknown>): () => Promise<void> {
  let isStopped = false;
  let running: Promise<unknown> = Promise.resolve();
  let timer: NodeJS.Timeout;
  const run = () => {
    running = task()
      .catch((error: unknown) => log().error({ task: name, error: describeError(error) }, 'a task failed'))
      .then(() => {
        if (!isStopped) timer = setTimeout(run, everyMs);
      });
  };
  timer = setTimeout(run, everyMs);
  return async () => {
    isStopped = true;
    clearTimeout(timer);
    await running;
  };
}
