import { Pool } from 'pg';
import PgBoss from 'pg-boss';
import type { OperatorApp } from '@/lib/operator/app';
import { describeError } from '@/lib/platform/log';
import type { Job } from './jobs';
import { runJob } from './run-job';

/** Connections that the scheduler holds beside those of DATABASE_POOL. */
const connections = 2;
/** A run that has not ended by then is taken for dead; it and a run that failed are tried again, later each time. */
const queueOptions = {
  expireInSeconds: 10 * 60,
  retryLimit: 3,
  retryDelay: 10,
  retryBackoff: true,
  /** A run that nobody has begun by then is not worth beginning. */
  retentionMinutes: 60,
};

/** A job with a cron expression. */
export interface ScheduledJob {
  readonly job: Job;
  readonly cron: string;
}

/**
 * Puts jobs on pg-boss, which sends each of them once per tick, whatever the number of processes, to one that works;
 * its tables are in the schema `pgboss`, which it creates and migrates itself under a lock of its own.
 * @returns a function that takes no more work, waits for what runs up to the limit, and gives back what does not end
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
 * A small pool of its own for pg-boss. Once everything is started, a statement that fails is logged and answered with
 * nothing, as pg-boss itself does between its stop and its end: it does not await the statements that end a run, and
 * the rejection of one, in a database's restart, would end this process.
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
        // What pg-boss's own database answers when it is closed, which its type does not say.
        return undefined as unknown as { rows: unknown[] };
      }
    },
    outliveFailures() {
      outlives = true;
    },
    close: () => pool.end(),
  };
}
