import { ApiError } from '@/lib/errors/api-error';
import type { ApiRequest } from '@/lib/http/api-message';
import { describeError } from '@/lib/platform/log';
import type { OperatorApp } from './app';
import { type Job, jobs } from './jobs';
import { requireToken } from './require-token';

/**
 * Runs every job once, for hosts that run nothing between requests. Their schedulers send GET with the secret as bearer
 * token, as Vercel's does. Without CRON_SECRET this path does not exist.
 * @throws ApiError not_found (404), unauthorized (401), rate_limited (429), service_unavailable (503) when a job failed
 */
export async function runAllJobs(
  app: OperatorApp,
  request: ApiRequest,
): Promise<{ body: { ran: string[] } }> {
  const secret = app.settings.CRON_SECRET;
  if (secret === undefined) throw new ApiError('not_found');
  await requireToken(app, request, secret);
  const runs = await app.instance.whileAlive(() => Promise.allSettled(jobs.map((job) => runJob(app, job))));
  const failed = jobs.filter((_, index) => runs[index]?.status === 'rejected').map(({ name }) => name);
  if (failed.length > 0) {
    throw new ApiError('service_unavailable', { message: `These jobs failed: ${failed.join(', ')}.` });
  }
  return { body: { ran: jobs.map(({ name }) => name) } };
}

/**
 * Runs a job once.
 * @throws Error that describes the failure without secrets; it has been logged
 */
export async function runJob(app: OperatorApp, job: Job): Promise<void> {
  const startedMs = app.clock.monotonic();
  const { jobRuns, jobSeconds } = app.metrics;
  const end = jobSeconds.startTimer({ job: job.name });
  try {
    await job.run(app, app.clock.date());
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
