import { Piscina } from 'piscina';
import { FairQueue } from '@/lib/concurrency/fair-queue';
import type { Platform } from '@/lib/platform/platform';
import { type Requester, rankOf } from './requester';
import type { ThreadFile } from './thread-file';

/** A function that `check-thread.ts` exports under this name. Its data and its result are structured clones. */
export interface ThreadJob<Data, Result> {
  readonly name: string;
  /** Only for the types. */
  readonly run?: (data: Data) => Result | Promise<Result>;
}

export type JobOutcome<Result> =
  | { readonly kind: 'done'; readonly result: Result }
  /** It took longer than any job may; it would again. */
  | { readonly kind: 'over_budget' }
  /** Too much waits already; this was not begun. */
  | { readonly kind: 'full' }
  | { readonly kind: 'failed'; readonly cause: unknown };

export interface ThreadPoolOptions {
  readonly file: ThreadFile;
  readonly threads: number;
  /** How long a job may take once it has begun. */
  readonly budgetMs: number;
  readonly waitingMax: number;
  readonly waitingBytesMax: number;
}

interface Waiting {
  start(): Promise<void>;
  drop(): void;
}

/** Threads give way to the event loop where both want the same core: 0 is as important, 19 hardly at all. */
const niceIncrement = 5;
/** A hostile input that takes more ends its thread, not the process. */
const heapMbMax = 256;

/**
 * Work that takes more than a few milliseconds, off the event loop: so many jobs at once, each with a time budget, the
 * others in a bounded queue in which paying callers go first and nobody waits behind all that another has sent.
 */
export class ThreadPool {
  readonly #app: Platform;
  readonly #threads: Piscina;
  readonly #options: ThreadPoolOptions;
  readonly #queue: FairQueue<Waiting>;
  #running = 0;

  constructor(app: Platform, options: ThreadPoolOptions) {
    this.#app = app;
    this.#options = options;
    this.#queue = new FairQueue({ entriesMax: options.waitingMax, weightMax: options.waitingBytesMax });
    this.#threads = new Piscina({
      filename: options.file.file,
      execArgv: [...options.file.execArgv],
      // A thread starts when a job first needs it, and stays.
      minThreads: 0,
      maxThreads: options.threads,
      idleTimeout: Number.POSITIVE_INFINITY,
      // Hostile input is read there: the settings, with their keys, are not in reach.
      env: { NODE_ENV: process.env.NODE_ENV },
      resourceLimits: { maxOldGenerationSizeMb: heapMbMax },
      // Elsewhere than on Linux niceness is the whole process's.
      niceIncrement: process.platform === 'linux' ? niceIncrement : 0,
      recordTiming: false,
    });
    // A thread that ends without a job under way is replaced like any other.
    this.#threads.on('error', (error: unknown) =>
      this.#app.log.error({ error: String(error) }, 'a thread ended'),
    );
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /**
   * Runs a job, at once or when it is its turn.
   * @param bytes the size of its data, as far as it counts
   */
  run<Data, Result>(
    job: ThreadJob<Data, Result>,
    data: Data,
    requester: Requester,
    bytes: number,
  ): Promise<JobOutcome<Result>> {
    return new Promise((resolve) => {
      const waiting: Waiting = {
        start: async () => resolve(await this.#do(job, data)),
        drop: () => resolve({ kind: 'full' }),
      };
      if (this.#running < this.#options.threads) {
        void this.#begin(waiting);
        return;
      }
      const { address, payer, priority } = requester;
      const share = { rank: rankOf[priority], owners: payer === null ? [address] : [address, payer] };
      const dropped = this.#queue.add(waiting, share, bytes);
      for (const one of dropped) one.drop();
      if (!dropped.includes(waiting)) this.#prove(waiting, requester);
    });
  }

  /** Ends the threads; jobs under way fail. */
  close(): Promise<void> {
    return this.#threads.destroy();
  }

  async #begin(waiting: Waiting): Promise<void> {
    this.#running += 1;
    await waiting.start();
    this.#running -= 1;
    const next = this.#queue.take();
    if (next) void this.#begin(next);
  }

  async #do<Data, Result>({ name }: ThreadJob<Data, Result>, data: Data): Promise<JobOutcome<Result>> {
    const signal = AbortSignal.timeout(this.#options.budgetMs);
    try {
      // The thread's export of this name takes Data and returns Result.
      return { kind: 'done', result: (await this.#threads.run(data, { name, signal })) as Result };
    } catch (cause) {
      return signal.aborted ? { kind: 'over_budget' } : { kind: 'failed', cause };
    }
  }

  /** A signed request that turns out to be paid for goes before those that are not. */
  #prove(waiting: Waiting, { priority, isPaying }: Requester): void {
    if (priority !== 'signed') return;
    isPaying?.().then(
      (isGood) => isGood && this.#queue.promote(waiting, rankOf.paying),
      // Whoever cannot be asked about stays where it is.
      () => undefined,
    );
  }
}
