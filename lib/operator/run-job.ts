import type { OperatorApp } from '@/lib/operator/app';
import { describeError } from '@/lib/platform/log';
import type { Job } from './jobs';

/**
 * Runs a job once, whoever asked for it.
 * @throws Error with what may be told of a failure, which has been logged
 */
export async function runJob(app: OperatorApp, job: Job): Promise<void> {
  const startedMs = app.clock.now();
  try {
    await job.run(app, app.clock.date());
    app.log.debug({ job: job.name, ms: Math.round(app.clock.now() - startedMs) }, 'a job ran');
  } catch (error) {
    const told = describeError(error);
    app.log.error({ job: job.name, error: told }, 'a job failed');
    // The scheduler keeps what it is told in the database, so it is not told more than the log.
    throw new Error(`${told.name}: ${told.message}`);
  }
}
