import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { ApiError, retryAfterSeconds } from '@/lib/catalog/errors/api-error';
import type { CodeWithPayment } from '@/lib/catalog/errors/codes';
import type { Platform } from '@/lib/platform/platform';
import { type JobOutcome, ThreadPool } from './thread-pool';

export type { JobOutcome, Requester, ThreadJob } from './thread-pool';

/** An app with worker threads. */
export interface WithThreads {
  readonly threads: ThreadPool;
}

/** Each process has its share of the cores, and leaves one of them to its event loop if there is more than one. */
const threadsMax = 4;

/** The threads of an app, which start when they are first needed. */
export function openThreads(app: Pick<Platform, 'settings' | 'clock' | 'log'>): ThreadPool {
  const cores = Math.floor(availableParallelism() / app.settings.PROCESSES);
  return new ThreadPool(app, {
    file: findThreadFile(),
    threads: Math.min(threadsMax, Math.max(1, cores - 1)),
    // The largest inputs take two seconds in a new thread.
    budgetMs: 6_000,
    // A payment is accepted when it is valid for 30 seconds at least.
    lateAfterMs: 20_000,
    waitingMax: 256,
    waitingBytesMax: 64 * 1024 * 1024,
  });
}

/** A machine is usually busy for longer. */
const lateRetrySeconds = 10;

/**
 * The result of a job.
 * @param invalid the code for an input that takes too much CPU time to check
 * @throws ApiError that code (400), service_unavailable (503) when the queue is full or the machine too busy,
 *   internal_error (500)
 */
export function resultOf<Result>(outcome: JobOutcome<Result>, invalid: CodeWithPayment<'none'>): Result {
  switch (outcome.kind) {
    case 'done':
      return outcome.result;
    case 'over_budget': {
      const issues = [{ path: 'body', rule: 'takes too long to check: make it shorter or simpler' }];
      throw new ApiError(invalid, { reason: 'invalid_input', issues });
    }
    case 'late':
      throw new ApiError('service_unavailable', { retryAfterSeconds: lateRetrySeconds });
    case 'full':
      throw new ApiError('service_unavailable', { retryAfterSeconds });
    case 'failed':
      throw new ApiError('internal_error', { cause: outcome.cause });
  }
}

/** The file that a thread runs, and Node's options to load it. */
export interface ThreadFile {
  readonly file: string;
  readonly execArgv: readonly string[];
}

/** The built file, or the source when nothing has been built. */
function findThreadFile(): ThreadFile {
  const root = /* turbopackIgnore: true */ process.cwd();
  const built = path.join(root, 'dist/check-thread.js');
  if (existsSync(built)) return { file: built, execArgv: [] };
  return { file: path.join(root, 'check-thread.ts'), execArgv: ['--import', 'tsx'] };
}
