import { Piscina } from 'piscina';
import { FairLimit } from '@/lib/platform/concurrency/fair-limit';
import type { Platform } from '@/lib/platform/platform';
import type { ThreadFile } from './index';
import { cpuMsSince, newThreadMark } from './thread-time';

/** The client of unpaid work, which decides its place in queues. */
export interface Requester {
  /** The client's address. */
  readonly address: string;
  /** The wallet or account of the request's credential, by its `ownerKey`; null for a free call. */
  readonly owner: string | null;
  /** Whether the signature proves the payer. Left out where nothing is signed, or it was verified. */
  readonly isPayerProven?: boolean;
  /** `paying`: the payment is valid. `signed`: there is a payment, but it is not verified. */
  readonly priority: 'free' | 'signed' | 'paying';
  /** Verifies a signed payment. Called only when the request has to wait. */
  readonly isPaying?: () => Promise<boolean>;
}

/** Lower goes first. */
const rankOf: Readonly<Record<Requester['priority'], number>> = { paying: 0, signed: 1, free: 2 };

/**
 * A function that `check-thread.ts` exports under this name. It gets its data with the mark of `thread-time.ts`. Data and result
 * are structured clones.
 */
export interface ThreadJob<Data, Result> {
  readonly name: string;
  /** Never set: it only carries the types. */
  readonly run?: (data: Data) => Result | Promise<Result>;
}

export type JobOutcome<Result> =
  | { readonly kind: 'done'; readonly result: Result }
  /** It exceeded its budget of CPU time, and would again. */
  | { readonly kind: 'over_budget' }
  /** It was not done in time, because the machine was busy. */
  | { readonly kind: 'late' }
  /** The queue was full, and the job was not started. */
  | { readonly kind: 'full' }
  | { readonly kind: 'failed'; readonly cause: unknown };

export interface ThreadPoolOptions {
  readonly file: ThreadFile;
  readonly threads: number;
  /** How much CPU time a job may use. */
  readonly budgetMs: number;
  /** How long a job may run, however little CPU time it gets. */
  readonly lateAfterMs: number;
  readonly waitingMax: number;
  readonly waitingBytesMax: number;
}

/** Why a job was ended. */
type Overtime = 'over_budget' | 'late';

/** Threads yield to the event loop on a shared core: 0 is equal priority, 19 the lowest. */
const niceIncrement = 5;
/** How often the CPU time of a job is read, once it has run for as long as its budget. */
const cpuCheckMs = 250;
/** A hostile input that needs more ends its thread, not the process. */
const heapMbMax = 256;

/**
 * Runs work that takes more than a few milliseconds off the event loop. Jobs have a budget of CPU time, which a busy machine
 * does not use up. Those that wait are in a bounded queue, where paying callers go first and clients take turns.
 */
export class ThreadPool {
  readonly #app: Pick<Platform, 'clock' | 'log'>;
  readonly #threads: Piscina;
  readonly #options: ThreadPoolOptions;
  readonly #limit: FairLimit;

  constructor(app: Pick<Platform, 'clock' | 'log'>, options: ThreadPoolOptions) {
    this.#app = app;
    this.#options = options;
    const { threads: size, waitingMax, waitingBytesMax: waitingWeightMax } = options;
    this.#limit = new FairLimit({ size, waitingMax, waitingWeightMax });
    this.#threads = new Piscina({
      filename: options.file.file,
      execArgv: [...options.file.execArgv],
      // A thread starts when a job first needs it, and stays.
      minThreads: 0,
      maxThreads: options.threads,
      idleTimeout: Number.POSITIVE_INFINITY,
      // Threads parse hostile input, so they get no settings and no keys.
      env: { NODE_ENV: process.env.NODE_ENV },
      resourceLimits: { maxOldGenerationSizeMb: heapMbMax },
      // On other systems niceness applies to the whole process.
      niceIncrement: process.platform === 'linux' ? niceIncrement : 0,
      recordTiming: false,
    });
    // An idle thread that ends is replaced like any other.
    this.#threads.on('error', (error: unknown) =>
      this.#app.log.error({ error: String(error) }, 'a thread ended'),
    );
  }

  get waiting(): number {
    return this.#limit.load.waiting;
  }

  /**
   * Runs a job, now or when it is its turn.
   * @param bytes the size of its data, for the queue's limit
   */
  async run<Data, Result>(
    job: ThreadJob<Data, Result>,
    data: Data,
    requester: Requester,
    bytes: number,
  ): Promise<JobOutcome<Result>> {
    const { address: group, owner: payer, priority } = requester;
    const lease = await this.#limit.enter({
      group,
      payer: payer ?? undefined,
      rank: rankOf[priority],
      weight: bytes,
      onWait: (setRank) => promoteIfPaying(requester, setRank),
    });
    if (!lease) return { kind: 'full' };
    try {
      return await this.#do(job, data);
    } finally {
      lease.release();
    }
  }

  /** Ends the threads. Running jobs fail. */
  close(): Promise<void> {
    return this.#threads.destroy();
  }

  async #do<Data, Result>({ name }: ThreadJob<Data, Result>, data: Data): Promise<JobOutcome<Result>> {
    const ending = new AbortController();
    const { signal } = ending;
    const mark = newThreadMark();
    const watch = this.#watch(mark, (kind) => ending.abort(kind));
    try {
      // The thread's export of this name takes Data and returns Result.
      return { kind: 'done', result: (await this.#threads.run({ data, mark }, { name, signal })) as Result };
    } catch (cause) {
      return signal.aborted ? { kind: signal.reason as Overtime } : { kind: 'failed', cause };
    } finally {
      watch.end();
    }
  }

  /** Calls back once a job has used up its budget, or has taken too long. Where CPU time is not known, only the latter. */
  #watch(mark: Int32Array, onEnd: (kind: Overtime) => void): { end: () => void } {
    const { clock } = this.#app;
    const { budgetMs, lateAfterMs } = this.#options;
    const startedMs = clock.monotonic();
    const look = () => {
      const usedMs = cpuMsSince(mark) ?? 0;
      if (usedMs >= budgetMs) onEnd('over_budget');
      else if (clock.monotonic() - startedMs >= lateAfterMs) onEnd('late');
      else cancel = clock.after(cpuCheckMs, look);
    };
    // It cannot have used more before.
    let cancel = clock.after(budgetMs, look);
    return { end: () => cancel() };
  }
}

/** Moves a signed request forward once its payment is verified. */
function promoteIfPaying({ priority, isPaying }: Requester, setRank: (rank: number) => void): void {
  if (priority !== 'signed') return;
  isPaying?.().then(
    (isGood) => isGood && setRank(rankOf.paying),
    // A payment that cannot be verified keeps its place.
    () => undefined,
  );
}
