import { ApiError } from '@/lib/catalog/errors/api-error';
import type { ApiRequest } from '@/lib/http/api-message';
import type { RateLimits } from '@/lib/http/rate-limit';
import type { Job } from '@/lib/jobs/jobs';
import { runJob } from '@/lib/jobs/run-job';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Platform } from '@/lib/platform/platform';
import { requireToken } from './require-token';

interface CronDeps
  extends Pick<WithDatabase & Platform, 'instance' | 'settings' | 'clock' | 'log' | 'metrics'> {
  readonly jobs: readonly Job[];
  readonly rateLimits: RateLimits;
  readonly clientAddressHeader: string;
}

/**
 * Runs every job once, except those that cost money, for hosts that run nothing between requests. Their schedulers send GET with
 * the secret as bearer token, as Vercel's does. Without CRON_SECRET this path does not exist.
 * @throws ApiError not_found (404), unauthorized (401), rate_limited (429), service_unavailable (503) when a job failed
 */
export async function runAllJobs(app: CronDeps, request: ApiRequest): Promise<{ body: { ran: string[] } }> {
  const secret = app.settings.CRON_SECRET;
  if (secret === undefined) throw new ApiError('not_found');
  await requireToken(app, request, secret);
  const jobs = app.jobs.filter(({ isOnlyOnTicks }) => !isOnlyOnTicks);
  const runs = await app.instance.whileAlive(() => Promise.allSettled(jobs.map((job) => runJob(app, job))));
  const failed = jobs.filter((_, index) => runs[index]?.status === 'rejected').map(({ name }) => name);
  if (failed.length > 0) {
    throw new ApiError('service_unavailable', { message: `These jobs failed: ${failed.join(', ')}.` });
  }
  return { body: { ran: jobs.map(({ name }) => name) } };
}
