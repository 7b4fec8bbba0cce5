import { countAttempt, hashAddress } from '@/lib/db/attempts';
import { newId } from '@/lib/platform/ids';
import type { FormsApp } from '@/lib/services/forms/app';
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
  app: FormsApp,
  formId: string,
  report: { reason: ReportReason; details: string; address: string },
  now: Date,
): Promise<boolean> {
  const subject = `reports of ${await hashAddress(app, report.address, now)}`;
  if ((await countAttempt(app, [[subject, allowances.reportsOfAddress]], now)) !== null) return false;
  const id = newId('fa');
  const details = report.details.trim().slice(0, reportDetailsLengthMax);
  await app.db.formReport.create({
    data: {
      id,
      formId,
      reason: report.reason,
      details: details ? app.keys.encrypt(details) : null,
      reportedAt: now,
    },
  });
  app.log.warn({ formId, reportId: id, reason: report.reason }, 'a form was reported');
  return true;
}
