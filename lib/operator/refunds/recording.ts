import { findRefund, insertRefund, type NewRefund, type Refund } from '@/lib/ledger/refund-records';
import { type Operator, recordAction } from '@/lib/operator/actions';
import type { Payments } from '@/lib/payments/app-payments';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Prisma } from '@/lib/platform/database/generated/client';
import { newId } from '@/lib/platform/ids';
import type { Platform } from '@/lib/platform/platform';
import { RefundError } from './refund-error';
import { findRefundable } from './refundable';

/** What the functions below use. */
interface RecordingDeps extends Pick<WithDatabase, 'db'>, Pick<Platform, 'clock' | 'timings'> {
  readonly payments: Payments;
}

/** A transaction on the database. */
export type RefundDb = Pick<Prisma.TransactionClient, '$queryRaw' | '$executeRaw' | 'operatorAction'>;

/** Begins a refund, runs `complete` for it, and logs the action, all in one transaction. */
export async function beginRefund(
  app: RecordingDeps,
  operator: Operator,
  terms: NewRefund,
  complete: (db: RefundDb, id: string) => Promise<void>,
): Promise<Refund> {
  const now = app.clock.date();
  const checkAt = new Date(now.getTime() + app.timings.refunds.checkFirstMs);
  try {
    return await app.db.$transaction(async (db) => {
      const id = await insertRefund(db, terms, checkAt, now);
      await complete(db, id);
      const refund = await findRefund({ db }, id);
      if (!refund) throw new Error('the refund was not recorded');
      await log(db, operator, 'refund.request', refund, refund.note, null);
      return refund;
    });
  } catch (error) {
    throw await explain(app, terms, error);
  }
}

/** Changes a refund and logs the action, in one transaction. */
export async function changeRefund(
  app: Pick<WithDatabase, 'db'>,
  operator: Operator,
  action: 'refund.sign' | 'refund.send' | 'refund.cancel',
  refund: Refund,
  note: string | null,
  work: (db: RefundDb) => Promise<void>,
): Promise<void> {
  try {
    await app.db.$transaction(async (db) => {
      await work(db);
      const after = await findRefund({ db }, refund.id);
      if (after) await log(db, operator, action, after, note, refund);
    });
  } catch (error) {
    if (error instanceof RefundError || !isViolation(error)) throw error;
    throw new RefundError('transfer_used', null, { cause: error });
  }
}

async function log(
  db: RefundDb,
  actor: Operator,
  action: 'refund.request' | 'refund.sign' | 'refund.send' | 'refund.cancel',
  refund: Refund,
  note: string | null,
  before: Refund | null,
): Promise<void> {
  await recordAction(
    { db },
    {
      actor,
      action,
      target: { kind: 'paid_call', id: refund.paidCallId },
      reason: refund.reason,
      note: note ?? undefined,
      before: before ? factsOf(before) : undefined,
      after: factsOf(refund),
      correlationId: newId('op'),
    },
  );
}

function factsOf({ id, method, state, network, recipient, amountAtomic, transactionHash }: Refund) {
  return { id, method, state, network, recipient, amountAtomic: amountAtomic.toString(), transactionHash };
}

/** Explains what the database refused: another operator was faster, or the call has moved. */
async function explain(
  app: RecordingDeps,
  { paidCallId, accountId }: NewRefund,
  error: unknown,
): Promise<unknown> {
  if (error instanceof RefundError || !isViolation(error)) return error;
  const { problem } = (await findRefundable(app, paidCallId)) ?? {};
  if (problem) return new RefundError(problem, null, { cause: error });
  if (accountId !== null) return new RefundError('account_not_open', null, { cause: error });
  return new RefundError('transfer_used', null, { cause: error });
}

/** Whether a unique key (23505) or a check (23514) of the database refused it. */
export function isViolation(error: unknown): boolean {
  return /23505|23514|P2002|P2004/.test(JSON.stringify(error));
}
