import { repeat } from '@/lib/concurrency/repeat';
import type { OperatorApp } from '@/lib/operator/app';
import type { Job } from './jobs';
import { runJob } from './run-job';

/** A little less than the time between two looks, so that who looks alone gets every turn. */
const shareOfPeriod = 0.9;

/**
 * Takes the next turn of a job, by the database's clock; one statement, and nothing to give back: a process that dies
 * with its turn only misses it.
 * @returns false when it is not due, or another process was faster
 */
async function takeTurn(app: OperatorApp, job: string, everyMs: number): Promise<boolean> {
  const taken = await app.db.$executeRaw`
    UPDATE turn SET due_at = now() + ${everyMs * shareOfPeriod} * interval '1 millisecond', taken_by = ${app.instance.id}
    WHERE job = ${job} AND due_at <= now()`;
  return taken === 1;
}

/**
 * Looks once per period whether it is this process's turn with a job, and runs it when it is. A run that takes longer
 * than the period holds up neither the others nor the next one.
 * @returns a function that ends it and waits for what runs
 */
export async function claimTicks(app: OperatorApp, job: Job, everyMs: number): Promise<() => Promise<void>> {
  await app.db.$executeRaw`
    INSERT INTO turn (job, due_at, taken_by) VALUES (${job.name}, now(), ${app.instance.id}) ON CONFLICT DO NOTHING`;
  const running = new Set<Promise<void>>();
  const stop = repeat(app, `turns of ${job.name}`, everyMs, async () => {
    if (job.isFull?.(app) || !(await takeTurn(app, job.name, everyMs))) return;
    const run: Promise<void> = runJob(app, job)
      // It has been logged, and the next turn comes soon.
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
