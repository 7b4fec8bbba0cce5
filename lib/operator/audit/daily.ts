import pg from 'pg';
import type { DeclaredJob } from '@/lib/jobs/jobs';
import { configuredOffers, type Offer } from '@/lib/payments/network-offers';
import type { WithDatabase } from '@/lib/platform/database/database';
import { hourMs } from '@/lib/platform/durations';
import type { Platform } from '@/lib/platform/platform';
import type { Check } from './audit-session';
import { auditLedger, chainSources } from './findings';

interface DailyDeps extends Pick<WithDatabase, 'db'>, Pick<Platform, 'settings' | 'clock' | 'log'> {}

/** Whole tables are read, on a connection that waits longer for a statement than those of a server. */
const statementMs = hourMs;

/**
 * Audits the ledger once a day, and keeps what it found for the metrics and `doctor`. It starts a while after the first start, so that a
 * server that is only tried out does nothing of it.
 * @param checks what optional features promise
 */
export function auditJob(checks: readonly Check[]): DeclaredJob {
  return {
    name: 'audit-ledger',
    everyMs: ({ auditMs }) => auditMs,
    firstAfterMs: ({ auditFirstAfterMs }) => auditFirstAfterMs,
    isOnlyOnTicks: true,
    run: (app) => auditAndRecord(app, checks),
  };
}

/** Rejects, and records nothing, when it could not look. */
async function auditAndRecord(app: DailyDeps, checks: readonly Check[]): Promise<void> {
  const startedAt = app.clock.date();
  const offers = comparedOffers(app);
  const sources = chainSources(offers, (network) => {
    const offer = offers.find((one) => one.network.name === network);
    return BigInt((offer && app.settings.AUDIT_FROM_BLOCK.get(offer.network.setting)) ?? 0);
  });
  const pool = new pg.Pool({
    connectionString: app.settings.DATABASE_URL,
    query_timeout: statementMs,
    max: 1,
  });
  // The statement under way fails too.
  pool.on('error', () => undefined);
  const counts = new Map<string, number>();
  const notTold: string[] = [];
  try {
    for await (const { promise } of auditLedger(app.clock, pool, sources, checks, (line) =>
      notTold.push(line),
    ))
      counts.set(promise, (counts.get(promise) ?? 0) + 1);
  } finally {
    await pool.end();
  }
  const networks = offers.map(({ network }) => network.name);
  const findings = await recordAudit(app, { startedAt, counts, networks });
  if (notTold.length > 0) app.log.warn({ nodes: notTold }, 'the audit had no answer from some RPCs');
  if (counts.size === 0) app.log.info({ networks }, 'the audit found nothing');
  else app.log.error({ findings, networks }, 'ALARM: the audit found that the ledger is not in order');
}

/** Keeps what an audit has found for the metrics and `doctor`. @returns how many findings there were, by the promise that is broken */
export async function recordAudit(
  { db, clock }: Pick<DailyDeps, 'db' | 'clock'>,
  {
    startedAt,
    counts,
    networks,
  }: { startedAt: Date; counts: ReadonlyMap<string, number>; networks: string[] },
): Promise<Record<string, number>> {
  const findings = Object.fromEntries(counts);
  await db.auditRun.create({ data: { startedAt, endedAt: clock.date(), findings, networks } });
  return findings;
}

/** The networks whose first block is set. Of the others nobody knows where to begin, and from the first block it takes hours. */
function comparedOffers({ settings }: Pick<Platform, 'settings'>): Offer[] {
  return configuredOffers(settings).filter(
    ({ network }) => settings.AUDIT_FROM_BLOCK.get(network.setting) !== undefined,
  );
}
