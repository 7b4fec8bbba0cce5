import type { OperatorApp } from '@/lib/operator/app';
import { describeError } from '@/lib/platform/log';
import type { Job } from './jobs';

/**
 * Runs a job once, whoever asked for it.
 * @throws Error that describes the failure, without anything secret; it has been logged
 */
export async function runJob(app: OperatorApp, job: Job): Promise<void> {
  const startedMs = app.clock.now();
  try {
    await job.run(app, app.clock.date());
    app.log.debug({ job: job.name, ms: Math.round(app.clock.now() - startedMs) }, 'a job ran');
  } catch (error) {
    const described = describeError(error);
    app.log.error({ job: job.name, error: described }, 'a job failed');
    // The scheduler stores the error in the database, so it gets no more than the log does.
    throw new Error(`${described.name}: ${described.message}`);
  }
}
