import { jobs } from './jobs';
import { startScheduler } from './scheduler';
import { takeTurns } from './turn';

/** How long a stopping worker waits for what runs; what is cut off is taken up by another. */
const stopMs = 10_000;

/** Does its share of the jobs until it is stopped. */
export async function startWorker(): Promise<{ stop(): Promise<void> }> {
  const scheduled = jobs.flatMap((job) => ('cron' in job.schedule ? [{ job, cron: job.schedule.cron }] : []));
  const stopScheduler = await startScheduler(scheduled);
  const stopTurns = await Promise.all(
    jobs.flatMap((job) => ('everyMs' in job.schedule ? [takeTurns(job, job.schedule.everyMs)] : [])),
  );
  return {
    async stop() {
      const allEnded = Promise.all(stopTurns.map((stop) => stop()));
      await Promise.all([
        stopScheduler(stopMs),
        Promise.race([allEnded, new Promise((resolve) => setTimeout(resolve, stopMs))]),
      ]);
    },
  };
}
