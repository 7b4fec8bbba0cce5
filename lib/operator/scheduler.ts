import { Pool } from 'pg';
import PgBoss from 'pg-boss';
import type { OperatorApp } from '@/lib/operator/app';
import { describeError } from '@/lib/platform/log';
import type { Job } from './jobs';
import { runJob } from './run-jobs';

/** The scheduler's own connections, in addition to DATABASE_POOL. */
const connections = 2;
/** A run that has not ended by then counts as dead. It is retried with increasing delays, as failed runs are. */
const queueOptions = {
  expireInSeconds: 10 * 60,
  retryLimit: 3,
  retryDelay: 10,
  retryBackoff: true,
  /** A run that has not started by then is dropped. */
  retentionMinutes: 60,
};

/** A job with a cron expression. */
export interface ScheduledJob {
  readonly job: Job;
  readonly cron: string;
}

/**
 * Schedules jobs with pg-boss, which runs each once per tick in one of the processes. Its tables are in the schema
 * `pgboss`, which it creates and migrates itself under its own lock.
 * @returns a function that takes no more work, waits for running jobs up to the limit, and releases the rest
 */
export async function startScheduler(
  app: OperatorApp,
  scheduled: readonly ScheduledJob[],
): Promise<(limitMs: number) => Promise<void>> {
  const database = openDatabase(app);
  const boss = new PgBoss({
    db: database,
    cronMonitorIntervalSeconds: app.timings.jobs.schedulerClockMs / 1_000,
    archiveCompletedAfterSeconds: 3_600,
    deleteAfterDays: 1,
  });
  boss.on('error', (error) => app.log.error({ error: describeError(error) }, 'the scheduler failed'));
  await boss.start();
  for (const { job, cron } of scheduled) {
    await boss.createQueue(job.name, { name: job.name, ...queueOptions });
    await boss.updateQueue(job.name, { name: job.name, ...queueOptions });
    await boss.schedule(job.name, cron);
    await boss.work(job.name, { pollingIntervalSeconds: app.timings.jobs.schedulerLookMs / 1_000 }, () =>
      runJob(app, job),
    );
  }
  database.outliveFailures();
  return async (limitMs) => {
    await boss.stop({ graceful: true, wait: true, timeout: limitMs });
    await database.close();
  };
}

/**
 * A small connection pool for pg-boss. After the start, failed statements are logged and return nothing, as pg-boss's
 * own pool does while closing. pg-boss does not await the statements that end a run, so a rejection during a database
 * restart would end this process.
 */
function openDatabase(app: OperatorApp) {
  const pool = new Pool({
    connectionString: app.settings.DATABASE_URL,
    max: connections,
    application_name: 'tuppence-scheduler',
  });
  const report = (error: unknown) =>
    app.log.error({ error: describeError(error) }, 'the scheduler could not reach the database');
  pool.on('error', report);
  let outlives = false;
  return {
    async executeSql(text: string, values: unknown[]): Promise<{ rows: unknown[] }> {
      try {
        return await pool.query(text, values);
      } catch (error) {
        if (!outlives) throw error;
        report(error);
        // What pg-boss's own database returns when it is closed, which its type does not say.
        return undefined as unknown as { rows: unknown[] };
      }
    },
    outliveFailures() {
      outlives = true;
    },
    close: () => pool.end(),
  };
}
