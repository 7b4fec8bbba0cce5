import { addReport } from '@/lib/services/abuse-reports';
import type { FormsApp } from '@/lib/services/forms/forms-app';

/** Reasons to report a form. */
export const reportReasons = ['secrets', 'pretends', 'harm', 'other'] as const;
export type ReportReason = (typeof reportReasons)[number];

/**
 * Records a report about a form for the operator.
 * @returns whether it was recorded; false when one address sends too many reports
 */
export function reportForm(
  app: FormsApp,
  id: string,
  report: { reason: ReportReason; details: string; address: string },
  now: Date,
): Promise<boolean> {
  return addReport(app, { kind: 'form', id }, report, now);
}
