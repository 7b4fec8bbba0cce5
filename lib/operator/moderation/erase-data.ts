import { eraseRefundMessages } from '@/lib/ledger/refund-requests';
import { eraseAnswersOf } from '@/lib/ledger/stored-answer';
import { type Operator, recordAction } from '@/lib/operator/actions';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Platform } from '@/lib/platform/platform';
import type { WithStore } from '@/lib/platform/storage';
import { eraseForm, takeDownForm } from '@/lib/services/forms/take-down-form';
import { eraseUploadsOf } from '@/lib/services/uploads/erase-owner';
import { removeBytes } from '@/lib/services/uploads/remove';

/** Whose data it is: everything of a wallet, or one form with the responses to it. */
export type DataSubject =
  | { readonly kind: 'wallet'; readonly id: string }
  | { readonly kind: 'form'; readonly id: string };

/** How much there is, or was erased. */
export interface ErasedData {
  readonly uploads: number;
  readonly forms: number;
  readonly formResponses: number;
  /** Stored responses to paid calls, each with the signed payment. */
  readonly callResponses: number;
  /** What a payer wrote in requests for a refund. */
  readonly refundMessages: number;
}

interface EraseDeps extends WithDatabase, Pick<WithStore & Platform, 'store' | 'clock' | 'timings' | 'log'> {}

/** Thrown to undo what a trial has erased. */
class OnlyTried extends Error {}

/**
 * Erases what the service stores for somebody, and records the action. Links and forms end at once. What accounts for money stays: the
 * calls with their wallet, amounts and hashes, their moves and postings. So does what is not finished: open calls, payments whose
 * settlement is not final, and uploads that a paid call is about to renew or delete.
 * @param isTrial changes nothing, and tells what would be erased
 * @returns how much was erased; nothing is recorded when there was nothing
 */
export async function eraseData(
  app: EraseDeps,
  subject: DataSubject,
  decision: { readonly actor: Operator; readonly note?: string; readonly correlationId: string },
  isTrial: boolean,
): Promise<ErasedData> {
  const now = app.clock.date();
  const done: { erased?: ErasedData; uploadIds: readonly string[] } = { uploadIds: [] };
  const work = app.db.$transaction(
    async (db) => {
      const owned = subject.kind === 'wallet' ? { owner: subject.id } : { id: subject.id };
      const forms = await db.form.findMany({
        where: { ...owned, erasedAt: null },
        select: { id: true, takenDownAt: true },
      });
      const ids = forms.map(({ id }) => id);
      const formResponses = await db.formResponse.count({ where: { formId: { in: ids } } });
      for (const { id, takenDownAt } of forms)
        await (takenDownAt ? eraseForm({ db }, id, now) : takeDownForm({ db }, id, true, now));
      const uploadIds = subject.kind === 'wallet' ? await eraseUploadsOf({ db }, subject.id, now) : [];
      const calls =
        subject.kind === 'wallet'
          ? { payer: subject.id }
          : await db.form.findUnique({ where: { id: subject.id }, select: { paidCallId: true } });
      const callResponses = calls ? await eraseAnswersOf({ db }, calls, now) : 0;
      const refundMessages =
        subject.kind === 'wallet' ? await eraseRefundMessages({ db }, { payer: subject.id }) : 0;
      const erased = {
        ...{ uploads: uploadIds.length, forms: forms.length, formResponses },
        ...{ callResponses, refundMessages },
      };
      Object.assign(done, { erased, uploadIds });
      if (isTrial) throw new OnlyTried();
      if (Object.values(erased).some((count) => count > 0))
        await recordAction(
          { db },
          { ...decision, action: 'data.erase', target: subject, after: { ...erased } },
        );
    },
    { timeout: app.timings.operator.eraseWithinMs },
  );
  await work.catch((error: unknown) => {
    if (!(error instanceof OnlyTried)) throw error;
  });
  if (!isTrial) for (const id of done.uploadIds) await removeBytes(app, id);
  if (!done.erased) throw new Error('nothing was counted');
  return done.erased;
}
