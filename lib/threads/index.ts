import { availableParallelism } from 'node:os';
import type { Platform } from '@/lib/platform/platform';
import { ThreadPool } from './pool';
import { findThreadFile } from './thread-file';

export type { JobOutcome, ThreadJob } from './pool';
export type { Requester } from './requester';
export { resultOf } from './result';

/** An app with worker threads. */
export interface WithThreads extends Platform {
  readonly threads: ThreadPool;
}

/** One core is left to the event loop, where there is more than one. */
const threadsMax = 4;

/** The threads of an app, which start when they are first needed. */
export function openThreads(app: Platform): ThreadPool {
  return new ThreadPool(app, {
    file: findThreadFile(),
    threads: Math.min(threadsMax, Math.max(1, availableParallelism() - 1)),
    // The largest inputs take a few hundred milliseconds, several times that on a busy machine.
    budgetMs: 5_000,
    waitingMax: 256,
    waitingBytesMax: 64 * 1024 * 1024,
  });
}
