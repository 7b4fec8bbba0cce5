import { inTime } from '@/lib/concurrency/in-time';
import { repeat } from '@/lib/concurrency/repeat';
import type { OperatorApp } from './app';
import { type Job, jobs } from './jobs';
import { runJob } from './run-jobs';
import { startScheduler } from './scheduler';

/** Runs this process's share of the jobs until it is stopped. */
export async function startWorker(app: OperatorApp): Promise<{ stop(): Promise<void> }> {
  const scheduled = jobs.flatMap((job) => ('cron' in job.schedule ? [{ job, cron: job.schedule.cron }] : []));
  const stopScheduler = await startScheduler(app, scheduled);
  const stopTurns = await Promise.all(
    jobs.flatMap((job) =>
      'everyMs' in job.schedule ? [startTicks(app, job, job.schedule.everyMs(app.timings.jobs))] : [],
    ),
  );
  return {
    async stop() {
      const allEnded = Promise.all(stopTurns.map((stop) => stop()));
      await Promise.all([
        stopScheduler(app.timings.jobs.stopMs),
        inTime(app.clock, allEnded, app.timings.jobs.stopMs, null),
      ]);
    },
  };
}

/** A tick is due a little earlier than the next look, so that a process that is alone gets every tick. */
const shareOfPeriod = 0.9;

/**
 * Claims a job's next tick, by the database's clock. There is nothing to give back: a process that dies during its tick
 * only misses it.
 * @returns false when no tick is due, or another process claimed it
 */
async function claimTick(app: OperatorApp, job: string, everyMs: number): Promise<boolean> {
  const taken = await app.db.$executeRaw`
    UPDATE turn SET due_at = now() + ${everyMs * shareOfPeriod} * interval '1 millisecond'
    WHERE job = ${job} AND due_at <= now()`;
  return taken === 1;
}

/**
 * Tries once per period to claim the job's tick, and then runs it. A run that takes longer than the period delays
 * neither other jobs nor the next tick.
 * @returns a function that ends this and waits for running ones
 */
async function startTicks(app: OperatorApp, job: Job, everyMs: number): Promise<() => Promise<void>> {
  await app.db.$executeRaw`
    INSERT INTO turn (job, due_at) VALUES (${job.name}, now()) ON CONFLICT DO NOTHING`;
  const running = new Set<Promise<void>>();
  const stop = repeat(app, `ticks of ${job.name}`, everyMs, async () => {
    if (job.isFull?.(app) || !(await claimTick(app, job.name, everyMs))) return;
    const run: Promise<void> = runJob(app, job)
      // It has been logged, and the next tick comes soon.
      .catch(() => undefined)
      .finally(() => running.delete(run));
    running.add(run);
  });
  return async () => {
    await stop();
    if (running.size > 0) app.log.info({ job: job.name, runs: running.size }, 'waiting for a job to end');
    await Promise.all(running);
  };
}
