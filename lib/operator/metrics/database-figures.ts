import { z } from 'zod';
import type { Job } from '@/lib/jobs/jobs';
import {
  listed,
  openSettlementStates,
  openStates,
  type PaidCallState,
  submittedStates,
} from '@/lib/ledger/states';
import { submittedSince, worklistCounts, worklistKinds } from '@/lib/ledger/worklist';
import type { Payments } from '@/lib/payments/app-payments';
import type { WithDatabase } from '@/lib/platform/database/database';
import { Prisma } from '@/lib/platform/database/generated/client';
import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';
import { channelFigures } from './channel-figures';

interface DatabaseFiguresDeps extends Pick<WithDatabase, 'db'>, Pick<Platform, 'clock' | 'log' | 'metrics'> {
  readonly jobs: readonly Job[];
  readonly payments: Payments;
}

/** What optional features add. */
const optional = [channelFigures];

/** Counting stops there, so that the statement reads a bounded number of rows however long the ledger is. */
const countedMax = 10_000;

const watchedStates: readonly PaidCallState[] = [...openStates, 'needs_attention'];

/** One query per state, with the state as a literal: only then does the planner know that an index finds these few calls. */
const watchedCalls = watchedStates
  .map((state) => {
    const since = submittedStates.includes(state) ? submittedSince : 'moved_at';
    return `(SELECT state, ${since} AS since FROM paid_call WHERE state = '${state}' LIMIT ${countedMax})`;
  })
  .join(' UNION ALL ');

const nothing = { count: 0, oldest: 0 };

const amount = z.object({ count: z.number(), oldest: z.coerce.number() });
const rowSchema = z.object({
  calls: z.record(z.string(), amount),
  transactions: z.record(z.string(), amount),
  /** By kind. */
  worklist: z.record(z.string(), z.number()),
  /** Open reports of forms and files. */
  reports: z.number(),
  /** Refunds that are not confirmed, by state. */
  refunds: z.record(z.string(), z.number()),
  jobs: z.record(z.string(), z.coerce.number()),
  /** What each optional feature reads, in their order. */
  optional: z.array(z.unknown()),
  instances: z.number(),
  /** The last one of the job: when it started, in Unix seconds, and how many findings it had. */
  audit: z.object({ at: z.coerce.number(), findings: z.number() }).nullable(),
});

/** Figures of the whole service, from the database. Ages are in seconds. */
type DatabaseFigures = z.output<typeof rowSchema>;

interface ReadDatabaseFiguresDeps extends Pick<WithDatabase, 'db'>, Pick<Platform, 'clock'> {
  readonly jobs: readonly Job[];
}

/** Reads the figures in one statement, by indexes. */
export async function readDatabaseFigures(app: ReadDatabaseFiguresDeps): Promise<DatabaseFigures> {
  const now = app.clock.date();
  // The others run only when there is work for them.
  const watchedJobs = app.jobs.filter(({ isNeeded }) => isNeeded === undefined).map(({ name }) => name);
  const [row] = await app.db.$queryRaw<unknown[]>`
    SELECT
      (SELECT COALESCE(jsonb_object_agg(state, jsonb_build_object('count', count, 'oldest', oldest)), '{}') FROM (
        SELECT state, count(*), extract(epoch FROM ${now}::timestamptz - min(since)) AS oldest
        FROM (${Prisma.raw(watchedCalls)}) watched GROUP BY state) by_state) AS calls,
      (SELECT COALESCE(jsonb_object_agg(network, jsonb_build_object('count', count, 'oldest', oldest)), '{}') FROM (
        SELECT network, count(*), extract(epoch FROM ${now}::timestamptz - min(created_at)) AS oldest FROM (
          SELECT network, created_at FROM settlement_transaction
          WHERE state IN ${Prisma.raw(listed(openSettlementStates))} LIMIT ${countedMax}
        ) pending GROUP BY network) by_network) AS transactions,
      ${worklistCounts(now, countedMax)} AS worklist,
      (SELECT count(*) FROM (SELECT FROM abuse_report WHERE closed_at IS NULL LIMIT ${countedMax}) open)::int AS reports,
      (SELECT COALESCE(jsonb_object_agg(state, count), '{}') FROM (SELECT state, count(*) FROM (
          SELECT state FROM refund WHERE state IN ('requested', 'sent', 'failed') LIMIT ${countedMax}
        ) unfinished GROUP BY state) by_state) AS refunds,
      (SELECT COALESCE(jsonb_object_agg(job, GREATEST(0, extract(epoch FROM now() - due_at))), '{}')
        FROM turn WHERE job IN (${Prisma.join(watchedJobs)})) AS jobs,
      jsonb_build_array(${Prisma.join(optional.map(({ query }) => query(countedMax)))}) AS optional,
      (SELECT count(*) FROM instance WHERE alive_until > now())::int AS instances,
      (SELECT jsonb_build_object('at', extract(epoch FROM started_at), 'findings',
          (SELECT COALESCE(sum(value::int), 0) FROM jsonb_each_text(findings)))
        FROM audit_run ORDER BY started_at DESC LIMIT 1) AS audit`;
  return rowSchema.parse(row);
}

/** Reads and shows the figures. Never rejects. */
export async function showDatabaseFigures(app: DatabaseFiguresDeps): Promise<void> {
  try {
    showAll(app, await readDatabaseFigures(app));
  } catch (error) {
    app.log.warn({ error: describeError(error) }, 'the figures for the metrics could not be read');
    showNoDatabase(app);
  }
}

/** Stale figures would look current, so none are shown. */
export function showNoDatabase({ metrics }: Pick<Platform, 'metrics'>): void {
  const figures = [
    metrics.openCalls,
    metrics.oldestCallSeconds,
    metrics.worklistItems,
    metrics.refunds,
    metrics.openTransactions,
    metrics.oldestTransactionSeconds,
    metrics.jobOverdueSeconds,
    ...optional.flatMap(({ gauges }) => gauges(metrics)),
  ];
  for (const gauge of figures) gauge.reset();
  metrics.instancesAlive.remove();
  metrics.auditAt.remove();
  metrics.auditFindings.remove();
  metrics.databaseUp.set(0);
}

interface ShowDeps extends Pick<Platform, 'metrics'> {
  readonly payments: Payments;
}

/** Figures that the database has no rows for are shown as 0, so that every series always exists. */
function showAll({ metrics, payments }: ShowDeps, figures: DatabaseFigures): void {
  metrics.databaseUp.set(1);
  metrics.instancesAlive.set(figures.instances);
  metrics.auditAt.set(figures.audit?.at ?? 0);
  metrics.auditFindings.set(figures.audit?.findings ?? 0);
  for (const state of watchedStates) {
    const { count, oldest } = figures.calls[state] ?? nothing;
    metrics.openCalls.set({ state }, count);
    metrics.oldestCallSeconds.set({ state }, oldest);
  }
  for (const { network } of payments.networks.all()) {
    const { count, oldest } = figures.transactions[network.name] ?? nothing;
    metrics.openTransactions.set({ network: network.name }, count);
    metrics.oldestTransactionSeconds.set({ network: network.name }, oldest);
  }
  for (const [index, { show }] of optional.entries())
    show(metrics, payments.networks.all(), figures.optional[index]);
  for (const state of ['requested', 'sent', 'failed'])
    metrics.refunds.set({ state }, figures.refunds[state] ?? 0);
  for (const kind of worklistKinds) metrics.worklistItems.set({ kind }, figures.worklist[kind] ?? 0);
  metrics.worklistItems.set({ kind: 'report' }, figures.reports);
  for (const [job, overdue] of Object.entries(figures.jobs)) metrics.jobOverdueSeconds.set({ job }, overdue);
}
