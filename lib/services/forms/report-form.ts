import type { WithDatabase } from '@/lib/platform/database/database';
import type { Platform } from '@/lib/platform/platform';
import { addReport } from '@/lib/services/abuse-reports';

interface ReportDeps extends Pick<WithDatabase, 'db' | 'addressSalts'>, Pick<Platform, 'log' | 'keys'> {}

/** Reasons to report a form. */
export const reportReasons = ['secrets', 'pretends', 'harm', 'other'] as const;
export type ReportReason = (typeof reportReasons)[number];

/**
 * Records a report about a form for the operator.
 * @returns whether it was recorded; false when one address sends too many reports
 */
export function reportForm(
  app: ReportDeps,
  id: string,
  report: { reason: ReportReason; details: string; address: string },
  now: Date,
): Promise<boolean> {
  return addReport(app, { kind: 'form', id }, report, now);
}
