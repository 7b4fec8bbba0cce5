import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';
import type { Job } from './jobs';

/**
 * Runs a job once.
 * @throws Error that describes the failure without secrets; it has been logged
 */
export async function runJob(app: Pick<Platform, 'clock' | 'log' | 'metrics'>, job: Job): Promise<void> {
  const startedMs = app.clock.monotonic();
  const { jobRuns, jobSeconds } = app.metrics;
  const end = jobSeconds.startTimer({ job: job.name });
  try {
    await job.run(app.clock.date());
    jobRuns.inc({ job: job.name, result: 'done' });
    app.log.debug({ job: job.name, ms: Math.round(app.clock.monotonic() - startedMs) }, 'a job ran');
  } catch (error) {
    jobRuns.inc({ job: job.name, result: 'failed' });
    const described = describeError(error);
    app.log.error({ job: job.name, error: described }, 'a job failed');
    // The error may be stored or shown, so it says no more than the log does.
    throw new Error(`${described.name}: ${described.message}`);
  } finally {
    end();
  }
}
