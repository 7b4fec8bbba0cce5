import { countAttempt, hashAddress } from '@/lib/db/attempts';
import { newId } from '@/lib/platform/ids';
import type { FormsApp } from '@/lib/services/forms/app';
import { allowances } from './allowances';

/** Reasons to report a form. */
export const reportReasons = ['secrets', 'pretends', 'harm', 'other'] as const;
export type ReportReason = (typeof reportReasons)[number];

export const reportDetailsLengthMax = 1_000;

/**
 * Records a report about a form for the operator.
 * @returns whether it was recorded; false when one address sends too many reports
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
