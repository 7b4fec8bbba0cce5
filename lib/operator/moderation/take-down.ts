import { type Operator, recordAction } from '@/lib/operator/actions';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Platform } from '@/lib/platform/platform';
import type { WithStore } from '@/lib/platform/storage';
import { type ContentTarget, closeReports } from '@/lib/services/abuse-reports';
import { eraseForm, restoreForm, takeDownForm } from '@/lib/services/forms/take-down-form';
import { removeBytes } from '@/lib/services/uploads/remove';
import { eraseUpload, restoreUpload, takeDownUpload } from '@/lib/services/uploads/take-down-upload';

interface TakeDownDeps
  extends Pick<WithDatabase & WithStore & Platform, 'db' | 'store' | 'clock' | 'timings' | 'log'> {}

/** Reasons to take a form or a file down. */
export const takeDownReasons = [
  'phishing',
  'malware',
  'illegal',
  'harm',
  'privacy',
  'copyright',
  'other',
] as const;
export type TakeDownReason = (typeof takeDownReasons)[number];

/** The reasons in words for operators. */
export const takeDownReasonWords: Readonly<Record<TakeDownReason, string>> = {
  phishing: 'Asks for secrets, or pretends to be somebody else',
  malware: 'Malware',
  illegal: 'Illegal',
  harm: 'Harms or threatens people',
  privacy: 'Reveals private information',
  copyright: 'Copyright',
  other: 'Other (explain in note)',
};

/** What an operator decided about a form or a file. */
export interface Decision {
  readonly actor: Operator;
  /** Written by the operator. */
  readonly note: string;
  readonly correlationId: string;
}

/**
 * Takes a form or a file down, at once and in every process, because each request asks the database. Closes the reports
 * about it and records the action, in one transaction. It can be restored for `restorableDays`; then a job erases it.
 * @param decision `isErased` erases it now instead, which cannot be undone
 * @returns false when it is already down, over or unknown: nothing changed, and nothing is recorded
 */
export async function takeDown(
  app: TakeDownDeps,
  target: ContentTarget,
  {
    reason,
    isErased,
    ...decision
  }: Decision & { readonly reason: TakeDownReason; readonly isErased: boolean },
): Promise<boolean> {
  const now = app.clock.date();
  const act = target.kind === 'form' ? takeDownForm : takeDownUpload;
  const isDone = await app.db.$transaction(async (db) => {
    if (!(await act({ db }, target.id, isErased, now))) return false;
    const reports = await closeReports({ db }, { target }, now);
    await recordAction(
      { db },
      {
        ...decision,
        action: 'content.take_down',
        target,
        reason,
        before: { status: 'public' },
        after: { status: isErased ? 'erased' : 'taken_down', closedReports: reports },
      },
    );
    return true;
  });
  if (isDone && isErased && target.kind === 'upload') await removeBytes(app, target.id);
  return isDone;
}

/**
 * Restores a form or a file that was taken down, and records the action.
 * @returns false when it is not down, or its content is erased
 */
export async function restore(
  app: Pick<WithDatabase, 'db'>,
  target: ContentTarget,
  decision: Decision,
): Promise<boolean> {
  const act = target.kind === 'form' ? restoreForm : restoreUpload;
  return app.db.$transaction(async (db) => {
    if (!(await act({ db }, target.id))) return false;
    await recordAction(
      { db },
      {
        ...decision,
        action: 'content.restore',
        target,
        before: { status: 'taken_down' },
        after: { status: 'public' },
      },
    );
    return true;
  });
}

/**
 * Erases a form or a file that was taken down, before its time to be restored is over, and records the action. It is not public
 * in between.
 * @param decision the take-down has said why, so its reason and note may be left out
 * @returns false when it is not down, or already erased: nothing changed, and nothing is recorded
 */
export async function erase(
  app: TakeDownDeps,
  target: ContentTarget,
  decision: Omit<Decision, 'note'> & { readonly reason?: TakeDownReason; readonly note?: string },
): Promise<boolean> {
  const now = app.clock.date();
  const act = target.kind === 'form' ? eraseForm : eraseUpload;
  const isDone = await app.db.$transaction(async (db) => {
    if (!(await act({ db }, target.id, now))) return false;
    await recordAction(
      { db },
      {
        ...decision,
        action: 'content.erase',
        target,
        before: { status: 'taken_down' },
        after: { status: 'erased' },
      },
    );
    return true;
  });
  if (isDone && target.kind === 'upload') await removeBytes(app, target.id);
  return isDone;
}

interface DismissReportDeps extends Pick<WithDatabase, 'db'>, Pick<Platform, 'clock'> {}

/** Closes a report without taking anything down, and records the action. @returns false when it is not open */
export async function dismissReport(
  app: DismissReportDeps,
  id: string,
  decision: Decision,
): Promise<boolean> {
  return app.db.$transaction(async (db) => {
    if ((await closeReports({ db }, { id }, app.clock.date())) === 0) return false;
    await recordAction({ db }, { ...decision, action: 'report.dismiss', target: { kind: 'report', id } });
    return true;
  });
}
