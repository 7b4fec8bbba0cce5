import type { WithDatabase } from '@/lib/platform/database/database';
import type { Platform } from '@/lib/platform/platform';
import { addReport } from '@/lib/services/abuse-reports';
import { isOver } from './slot';
import { publicUrl } from './slug';

interface ReportDeps
  extends Pick<WithDatabase & Platform, 'db' | 'addressSalts' | 'clock' | 'log' | 'keys'> {}

/** Reasons to report a file. */
export const fileReportReasons = ['malware', 'pretends', 'harm', 'private', 'copyright', 'other'] as const;
export type FileReportReason = (typeof fileReportReasons)[number];

interface FindReportableDeps extends Pick<WithDatabase, 'db'>, Pick<Platform, 'clock' | 'settings'> {}

/** An upload that can be reported, with the name and the link of its file as people see them. */
export interface Reportable {
  readonly id: string;
  readonly name: string;
  readonly url: string;
}

/** The upload behind a link that can be reported; null when there is none, or it can no longer be seen. */
export async function findReportable(app: FindReportableDeps, linkToken: string): Promise<Reportable | null> {
  if (!/^[A-Za-z0-9]{22,64}$/.test(linkToken)) return null;
  const upload = await app.db.upload.findUnique({
    where: { linkToken },
    select: { id: true, slug: true, filename: true, expiresAt: true, deletedAt: true, takenDownAt: true },
  });
  const isPublic = upload && upload.takenDownAt === null && !isOver(upload, app.clock.date());
  return isPublic
    ? { id: upload.id, name: upload.filename ?? upload.slug, url: publicUrl(app, { ...upload, linkToken }) }
    : null;
}

/**
 * Records a report about a file for the operator.
 * @returns whether it was recorded; false when one address sends too many reports
 */
export function reportFile(
  app: ReportDeps,
  id: string,
  report: { readonly reason: FileReportReason; readonly details: string; readonly address: string },
): Promise<boolean> {
  return addReport(app, { kind: 'upload', id }, report, app.clock.date());
}
