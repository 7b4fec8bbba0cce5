import {
  findRefund,
  insertRefund,
  lockRefundedCall,
  type Refund,
  recordRefundCancelled,
  recordRefundConfirmed,
  recordRefundFailed,
  recordRefundIncluded,
  recordRefundPosted,
  recordRefundReorganized,
  recordRefundSent,
  recordRefundSignable,
  refundsOf,
  takeRefundsToCheck,
  usedTransfers,
} from '@/lib/ledger/refund-records';
import { type OperatorActionName, recordAction } from '@/lib/operator/actions';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Prisma } from '@/lib/platform/database/generated/client';
import { newId } from '@/lib/platform/ids';
import type { Platform } from '@/lib/platform/platform';
import type {
  CallToRefund,
  NamedTransaction,
  RefundBeginning,
  RefundChange,
  RefundStep,
  RefundStore,
} from './refund-store';

/** A transaction on the database. */
type Db = Pick<Prisma.TransactionClient, '$queryRaw' | '$executeRaw' | 'operatorAction'>;

/** The refund is no longer as the caller knows it, so the transaction is undone. */
class HasChanged extends Error {}

/** The store of refunds in PostgreSQL. */
export function refundStore(app: WithDatabase & Pick<Platform, 'timings'>): RefundStore {
  const { db } = app;
  return {
    find: (id) => findRefund(app, id),
    refundsOf: (paidCallId) => refundsOf(app, paidCallId),
    findCall: (paidCallId) => findCall(app, paidCallId),
    isOpenAccount: async (id) => (await db.account.count({ where: { id, revokedAt: null } })) > 0,
    usedTransfers: (network, transactionHash, exceptId) =>
      usedTransfers(app, network, transactionHash, exceptId),
    takeToCheck: (now, limit) => takeRefundsToCheck(app, now, limit),

    recordFound: (refund, sent, now) => recordRefundSent(db, refund, sent, 'found_on_chain', now),
    recordIncluded: (refund, place) => recordRefundIncluded(db, refund, place),
    recordReorganized: (refund, now) => recordRefundReorganized(db, refund, now),
    recordConfirmed: (refund, place, now) => recordRefundConfirmed(db, refund, place, now),
    recordFailed: (refund, note, now) => recordRefundFailed(db, refund, note, now),

    begin: (terms, how, checkAt, step) =>
      db.$transaction(async (transaction) => {
        const id = await insertRefund(transaction, terms, checkAt, step.now);
        await complete(transaction, id, how, step);
        const refund = await findRefund({ db: transaction }, id);
        if (!refund) throw new Error('the refund was not recorded');
        await log(transaction, 'refund.request', { ...step, note: refund.note }, refund, null);
        return refund;
      }),
    change: (refund, change, step) =>
      db
        .$transaction(async (transaction) => {
          if (!(await make(transaction, refund, change, step))) throw new HasChanged();
          const after = await findRefund({ db: transaction }, refund.id);
          if (after) await log(transaction, `refund.${change.kind}`, step, after, refund);
          return true;
        })
        .catch((error: unknown) => {
          if (error instanceof HasChanged) return false;
          throw error;
        }),
  };
}

async function findCall({ db }: Pick<WithDatabase, 'db'>, id: string): Promise<CallToRefund | null> {
  const [row, [finality]] = await Promise.all([
    db.paidCall.findUnique({
      where: { id },
      select: {
        id: true,
        operation: true,
        state: true,
        network: true,
        payer: true,
        amountAtomic: true,
        transactionHash: true,
        createdAt: true,
        creditedAccount: true,
        settlement: { select: { blockNumber: true } },
      },
    }),
    // The database checks the same when a refund begins.
    db.$queryRaw<{ isFinal: boolean }[]>`
      SELECT payment_is_final(paid_call) AS "isFinal" FROM paid_call WHERE id = ${id}`,
  ]);
  if (!row) return null;
  const { settlement, ...call } = row;
  return {
    ...call,
    paidInBlock: settlement?.blockNumber ?? null,
    isPaymentFinal: finality?.isFinal === true,
  };
}

async function complete(db: Db, id: string, how: RefundBeginning, { now }: RefundStep): Promise<void> {
  if (how.kind === 'post') await recordRefundPosted(db, id, now);
  else if (how.kind === 'send' && !(await send(db, { id, transactionHash: null }, how, now)))
    throw new Error('the transaction of a new refund was not recorded');
}

async function make(db: Db, refund: Refund, change: RefundChange, { now }: RefundStep): Promise<boolean> {
  switch (change.kind) {
    case 'sign':
      return recordRefundSignable(db, refund.id, change.end);
    case 'send':
      if (change.found) await lockRefundedCall(db, refund);
      return send(db, refund, change, now);
    case 'cancel':
      return recordRefundCancelled(db, refund, now);
  }
}

async function send(
  db: Db,
  as: Pick<Refund, 'id' | 'transactionHash'>,
  { sent, found }: NamedTransaction,
  now: Date,
): Promise<boolean> {
  if (!(await recordRefundSent(db, as, sent, null, now))) return false;
  const refund = { id: as.id, transactionHash: sent.transactionHash };
  if (found?.isFinal) await recordRefundConfirmed(db, refund, found.place, now);
  else if (found) await recordRefundIncluded(db, refund, found.place);
  return true;
}

async function log(
  db: Db,
  action: OperatorActionName,
  { operator, note }: RefundStep,
  refund: Refund,
  before: Refund | null,
): Promise<void> {
  await recordAction(
    { db },
    {
      actor: operator,
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
