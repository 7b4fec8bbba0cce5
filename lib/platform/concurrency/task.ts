import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';

/** Background work, one run at a time. A failure is logged, and a later run tries again. */
export interface Task<Input extends unknown[]> {
  /** Starts a run, or joins the current one. Never rejects. */
  run(...input: Input): Promise<void>;
  /** Waits for the current run. */
  end(): Promise<void>;
}

export function task<Input extends unknown[]>(
  app: Pick<Platform, 'problems'>,
  name: string,
  work: (...input: Input) => Promise<unknown>,
): Task<Input> {
  const failure = app.problems.get(`task ${name}`);
  let running: Promise<void> | null = null;
  const attempt = async (input: Input) => {
    try {
      await work(...input);
      failure.end({ task: name });
    } catch (error) {
      failure.report('error', { task: name, error: describeError(error) }, 'a task fails');
    }
  };
  return {
    run(...input) {
      running ??= attempt(input).finally(() => {
        running = null;
      });
      return running;
    },
    end: async () => running ?? undefined,
  };
}
