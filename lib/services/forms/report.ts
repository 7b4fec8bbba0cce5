import { countAttempt, hashAddress } from '@/lib/db/attempts';
import { db } from '@/lib/db/client';
import { encrypt } from '@/lib/platform/data-key';
import { newId } from '@/lib/platform/ids';
import { log } from '@/lib/platform/log';
import { allowances } from './allowances';

/** What can be wrong with a form. */
export const reportReasons = ['secrets', 'pretends', 'harm', 'other'] as const;
export type ReportReason = (typeof reportReasons)[number];

export const reportDetailsLengthMax = 1_000;

/**
 * Writes down for the operator that a form does harm.
 * @returns whether it was written down; false when too many reports come from one address
 */
export async function reportForm(
  formId: string,
  report: { reason: ReportReason; details: string; address: string },
  now: Date,
): Promise<boolean> {
  const subject = `reports of ${await hashAddress(report.address, now)}`;
  if ((await countAttempt([[subject, allowances.reportsOfAddress]], now)) !== null) return false;
  const id = newId('fa');
  const details = report.details.trim().slice(0, reportDetailsLengthMax);
  await db().formReport.create({
    data: { id, formId, reason: report.reason, details: details ? encrypt(details) : null, reportedAt: now },
  });
  log().warn({ formId, reportId: id, reason: report.reason }, 'a form was reported');
  return true;
}
