import { z } from 'zod';
import type { WithDatabase } from '@/lib/platform/database/database';
import { hourMs } from '@/lib/platform/durations';
import type { Platform } from '@/lib/platform/platform';
import { type Finding, failed, ok, skipped, warning } from './finding';

interface CheckAuditDeps extends Pick<WithDatabase, 'db'>, Pick<Platform, 'clock'> {}

const findingsSchema = z.record(z.string(), z.number());
const advice = 'Run tuppence audit, and follow docs/incidents/treasury.md.';
/** Twice the period of the job. */
const lateHours = 48;

/** What the last audit of the job found, and whether it is late. */
export async function checkAudit({ db, clock }: CheckAuditDeps): Promise<Finding> {
  const last = await db.auditRun.findFirst({ orderBy: { startedAt: 'desc' } }).catch(() => undefined);
  if (last === undefined) return skipped('audit', 'it cannot be read');
  if (last === null) return skipped('audit', 'the job has not made one yet');
  const hours = Math.floor((clock.now() - last.startedAt.getTime()) / hourMs);
  const compared = last.networks.length === 0 ? 'itself' : `itself and ${last.networks.join(', ')}`;
  const when = `${hours} hours ago the ledger was compared with ${compared}`;
  const findings = Object.entries(findingsSchema.parse(last.findings));
  if (findings.length > 0) {
    const broken = findings.map(([promise, count]) => `${promise} (${count})`).join('; ');
    return failed('audit', `${when}, and these do not hold: ${broken}`, advice);
  }
  if (hours >= lateHours)
    return warning(
      'audit',
      `${when}, and not since`,
      'Look in the log for "a job failed", or run tuppence audit.',
    );
  return ok('audit', `${when}, and nothing was found`);
}
