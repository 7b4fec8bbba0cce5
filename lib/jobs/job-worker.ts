import type { DueWork } from '@/lib/ledger/due-work';
import { inTime } from '@/lib/platform/concurrency/in-time';
import { type Task, task } from '@/lib/platform/concurrency/task';
import { batchedQuery } from '@/lib/platform/database/batched-query';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Platform } from '@/lib/platform/platform';
import type { Job } from './jobs';
import { runJob } from './run-job';

interface WorkerDeps
  extends Pick<WithDatabase & Platform, 'batches' | 'clock' | 'timings' | 'log' | 'problems' | 'metrics'> {}

/** This process's share of the jobs. */
export interface Worker {
  /** Starts the jobs that are due, unless another process does. */
  start(work: DueWork): void;
  /** Waits for running jobs, up to the limit, after which other processes take over. */
  stop(): Promise<void>;
}

/** Makes the jobs known to the database. */
export async function openWorker(
  app: WorkerDeps & Pick<WithDatabase, 'db'> & { readonly jobs: readonly Job[] },
): Promise<Worker> {
  const names = app.jobs.map(({ name }) => name);
  const waits = app.jobs.map(({ firstAfterMs }) => firstAfterMs?.(app.timings.jobs) ?? 0);
  await app.db.$executeRaw`
    INSERT INTO turn (job, due_at) SELECT job, now() + ms * interval '1 millisecond'
    FROM unnest(${names}::text[], ${waits}::float8[]) AS listed (job, ms) ON CONFLICT DO NOTHING`;
  const workers = app.jobs.map((job) => new JobWorker(app, job));
  return {
    start(work) {
      for (const worker of workers) worker.start(work);
    },
    async stop() {
      const ended = Promise.all(workers.map((worker) => worker.stop()));
      await inTime(app.clock, ended, app.timings.jobs.stopMs, null);
    },
  };
}

/**
 * Claims ticks, by the database's clock: those that are due at the same time in one statement. A tick that another
 * process is claiming is left to it.
 */
const claimTick = batchedQuery<{ job: string; nextInMs: number }, { job: string }>(`
  WITH due AS (
    SELECT asked.* FROM json_to_recordset($1::json) AS asked(n integer, job text, "nextInMs" double precision)
    JOIN turn ON turn.job = asked.job WHERE due_at <= now() FOR UPDATE OF turn SKIP LOCKED
  )
  UPDATE turn SET due_at = now() + "nextInMs" * interval '1 millisecond' FROM due WHERE turn.job = due.job
  RETURNING due.n, turn.job`);

/** A tick is due a little earlier than the period says, so that a single process gets every tick. */
const shareOfPeriod = 0.9;

/** Runs a job whenever this process claims its tick. A run that takes longer than the period delays nothing. */
class JobWorker {
  readonly #app: WorkerDeps;
  readonly #job: Job;
  readonly #claim: Task<[]>;
  readonly #running = new Set<Promise<void>>();
  #isStopped = false;

  constructor(app: WorkerDeps, job: Job) {
    this.#app = app;
    this.#job = job;
    this.#claim = task(app, `ticks of ${job.name}`, async () => {
      if (await this.#claimTick()) this.#run();
    });
  }

  start(work: DueWork): void {
    const { name, isNeeded, isFull } = this.#job;
    if (this.#isStopped || !work.dueJobs.includes(name)) return;
    if (isNeeded?.(work) === false || isFull?.()) return;
    void this.#claim.run();
  }

  /**
   * Claims the next tick. There is nothing to give back: a process that dies during its tick only misses it.
   * @returns false when another process claimed it
   */
  async #claimTick(): Promise<boolean> {
    const periodMs = this.#job.everyMs(this.#app.timings.jobs);
    const claimed = await claimTick(this.#app, { job: this.#job.name, nextInMs: periodMs * shareOfPeriod });
    return claimed.length === 1;
  }

  #run(): void {
    const run: Promise<void> = runJob(this.#app, this.#job)
      // The failure has been logged, and the next tick comes soon.
      .catch(() => undefined)
      .finally(() => this.#running.delete(run));
    this.#running.add(run);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#claim.end();
    const { size } = this.#running;
    if (size > 0) this.#app.log.info({ job: this.#job.name, runs: size }, 'waiting for a job to end');
    await Promise.all(this.#running);
  }
}
