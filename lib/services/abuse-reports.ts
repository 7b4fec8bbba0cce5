import { type Allowance, countAttempt, hashAddress } from '@/lib/platform/database/attempts';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Prisma } from '@/lib/platform/database/generated/client';
import { daysAfter } from '@/lib/platform/durations';
import { newId } from '@/lib/platform/ids';
import type { Platform } from '@/lib/platform/platform';

interface AbuseReportsDeps extends Pick<WithDatabase & Platform, 'db' | 'addressSalts' | 'log' | 'keys'> {}

/** Content that people can report and operators can take down. */
export interface ContentTarget {
  readonly kind: 'form' | 'upload';
  readonly id: string;
}

/** How long content that was taken down can be restored. It is erased afterwards. */
export const restorableDays = 7;

/** Content that was taken down before this moment can no longer be restored. */
export function lastRestorable(now: Date): Date {
  return daysAfter(now, -restorableDays);
}

export const reportDetailsLengthMax = 1_000;

const reportsOfAddress: Allowance = { attempts: 10, minutes: 60 };

/**
 * Records a report for the operator.
 * @param report `reason` is a code, `details` is the reporter's text, `address` is the reporter's and is not stored
 * @returns whether it was recorded; false when one address sends too many reports
 */
export async function addReport(
  app: AbuseReportsDeps,
  target: ContentTarget,
  report: { readonly reason: string; readonly details: string; readonly address: string },
  now: Date,
): Promise<boolean> {
  const subject = `reports of ${await hashAddress(app, report.address, now)}`;
  if ((await countAttempt(app, [[subject, reportsOfAddress]], now)) !== null) return false;
  const id = newId('fa');
  const details = report.details.trim().slice(0, reportDetailsLengthMax);
  await app.db.abuseReport.create({
    data: {
      id,
      targetKind: target.kind,
      targetId: target.id,
      reason: report.reason,
      details: details ? app.keys.encrypt(details) : null,
      reportedAt: now,
    },
  });
  app.log.warn(
    { [`${target.kind}Id`]: target.id, reportId: id, reason: report.reason },
    `${wordFor[target.kind]} was reported`,
  );
  return true;
}

const wordFor = { form: 'a form', upload: 'a file' } as const;

/** A report that waits for the operator. */
export interface OpenReport {
  readonly id: string;
  readonly target: ContentTarget;
  /** A code of the page that it was sent from. */
  readonly reason: string;
  /** Whether the reporter wrote something; `showReport` shows it. */
  readonly hasDetails: boolean;
  readonly reportedAt: Date;
}

type Tx = { readonly db: Pick<Prisma.TransactionClient, 'abuseReport'> };

/** Open reports, the oldest first. At most `limit`. */
export async function openReports({ db }: Tx, limit: number): Promise<OpenReport[]> {
  const rows = await db.abuseReport.findMany({
    where: { closedAt: null },
    orderBy: [{ reportedAt: 'asc' }, { id: 'asc' }],
    take: limit,
  });
  return rows.map(({ id, targetKind, targetId, reason, details, reportedAt }) => ({
    id,
    target: { kind: targetKind === 'form' ? 'form' : 'upload', id: targetId },
    reason,
    hasDetails: details !== null,
    reportedAt,
  }));
}

/** The reporter's text; null when there is no such open report, or it has none. */
export async function reportDetails(
  { db, keys }: Tx & Pick<Platform, 'keys'>,
  id: string,
): Promise<string | null> {
  const report = await db.abuseReport.findUnique({ where: { id }, select: { details: true } });
  return report?.details ? keys.decrypt(report.details).toString() : null;
}

/** Closes open reports and erases what their reporters wrote. @returns how many were open */
export async function closeReports(
  { db }: Tx,
  which: { readonly id: string } | { readonly target: ContentTarget },
  now: Date,
): Promise<number> {
  const where =
    'id' in which ? { id: which.id } : { targetKind: which.target.kind, targetId: which.target.id };
  const { count } = await db.abuseReport.updateMany({
    where: { ...where, closedAt: null },
    data: { closedAt: now, details: null },
  });
  return count;
}
