import type { OperatorApp } from '@/lib/operator/app';
import { jobs } from './jobs';
import { startScheduler } from './scheduler';
import { claimTicks } from './ticks';

/** Does its share of the jobs until it is stopped. */
export async function startWorker(app: OperatorApp): Promise<{ stop(): Promise<void> }> {
  const scheduled = jobs.flatMap((job) => ('cron' in job.schedule ? [{ job, cron: job.schedule.cron }] : []));
  const stopScheduler = await startScheduler(app, scheduled);
  const stopTurns = await Promise.all(
    jobs.flatMap((job) =>
      'everyMs' in job.schedule ? [claimTicks(app, job, job.schedule.everyMs(app.timings.jobs))] : [],
    ),
  );
  return {
    async stop() {
      const allEnded = Promise.all(stopTurns.map((stop) => stop()));
      await Promise.all([
        stopScheduler(app.timings.jobs.stopMs),
        Promise.race([allEnded, new Promise((resolve) => setTimeout(resolve, app.timings.jobs.stopMs))]),
      ]);
    },
  };
}
