import { createHash, timingSafeEqual } from 'node:crypto';
import { ApiError } from '@/lib/errors/api-error';
import type { OperatorApp } from './app';
import { jobs } from './jobs';
import { runJob } from './run-job';

/**
 * Every job once, for hosts that run nothing between two requests. Their schedulers send GET with the secret as bearer
 * token, as Vercel's does. Without CRON_SECRET there is nothing at this address.
 * @throws ApiError not_found (404), unauthorized (401), service_unavailable (503) when a job failed
 */
export async function runAllJobs(app: OperatorApp, request: Request): Promise<{ body: { ran: string[] } }> {
  const secret = app.settings.CRON_SECRET;
  if (secret === undefined) throw new ApiError('not_found');
  if (!isSame(request.headers.get('authorization') ?? '', `Bearer ${secret}`))
    throw new ApiError('unauthorized');
  const runs = await app.instance.whileAlive(() => Promise.allSettled(jobs.map((job) => runJob(app, job))));
  const failed = jobs.filter((_, index) => runs[index]?.status === 'rejected').map(({ name }) => name);
  if (failed.length > 0) {
    throw new ApiError('service_unavailable', { message: `These jobs failed: ${failed.join(', ')}.` });
  }
  return { body: { ran: jobs.map(({ name }) => name) } };
}

/** Compared as digests, so that neither time nor length tells anything about the secret. */
function isSame(given: string, wanted: string): boolean {
  const digest = (value: string) => createHash('sha256').update(value).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}
