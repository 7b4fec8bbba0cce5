import { openRefundStates } from '@/lib/ledger/refund-states';
import { unmatchedTransfer } from '@/lib/ledger/states';
import { bookTransfer, type FoundTransfer, keepTransfer } from '@/lib/ledger/transfers-without-call';
import { type Operator, recordAction } from '@/lib/operator/actions';
import { isViolation } from '@/lib/operator/refunds/recording';
import type { Payments } from '@/lib/payments/app-payments';
import type { WithDatabase } from '@/lib/platform/database/database';
import { newId } from '@/lib/platform/ids';
import type { Platform } from '@/lib/platform/platform';
import { findPayments, type TransferRequest } from './find-transfers';
import { TransferError } from './transfer-error';

interface BookDeps extends WithDatabase, Pick<Platform, 'settings' | 'clock'> {
  readonly payments: Payments;
}

/** Payments that the ledger does not know: booked once they are found on the chain, then refunded or kept. */

/**
 * Reads a transaction from all nodes, and checks that its payments can be booked. Records nothing.
 * @returns the payments that the ledger does not have
 * @throws TransferError
 */
export async function examineTransfers(app: BookDeps, request: TransferRequest): Promise<FoundTransfer[]> {
  const { offer, transactionHash, block, isFinal, payments } = await findPayments(app, request);
  const unknown = payments.filter(({ paidCallId }) => paidCallId === null);
  if (unknown.length === 0) throw new TransferError('in_ledger');
  if (!isFinal) throw new TransferError('not_final');
  return unknown.map(({ payer, authorization, amountAtomic }) => {
    if (payer === null) throw new TransferError('payer_unknown');
    const { asset, payTo } = offer;
    const network = offer.network.name;
    return { network, asset, payer, authorization, amountAtomic, payTo, transactionHash, block };
  });
}

export interface BookedTransfer extends FoundTransfer {
  /** The paid call that stands for it. */
  readonly paidCallId: string;
}

/**
 * Books the payments of a transaction that the ledger does not have, each only once, even when several operators try. The money
 * of a booked payment is in the treasury and prepaid by its payer. It is on the worklist until it is refunded or kept.
 * @param note why, in the operator's words
 * @param correlationId of the operation that this is a part of
 * @throws TransferError; what was booked before it stays
 */
export async function bookTransfers(
  app: BookDeps,
  actor: Operator,
  request: TransferRequest,
  note: string,
  correlationId = newId('op'),
): Promise<BookedTransfer[]> {
  const found = await examineTransfers(app, request);
  const booked: BookedTransfer[] = [];
  for (const transfer of found) {
    const paidCallId = await app.db
      .$transaction(async (db) => {
        const id = await bookTransfer(db, transfer, app.clock.date());
        const { network, payer, authorization, amountAtomic, transactionHash } = transfer;
        const after = {
          network,
          payer,
          authorization,
          amountAtomic: amountAtomic.toString(),
          transactionHash,
        };
        const target = { kind: 'paid_call', id } as const;
        await recordAction({ db }, { actor, action: 'transfer.book', target, note, after, correlationId });
        return id;
      })
      .catch((error: unknown) => {
        throw explain(error);
      });
    booked.push({ ...transfer, paidCallId });
  }
  return booked;
}

/**
 * The payments of a transaction that were booked before.
 * @throws TransferError
 */
export async function findBooked(
  app: BookDeps,
  request: TransferRequest,
): Promise<Pick<BookedTransfer, 'paidCallId' | keyof PaymentFacts>[]> {
  const { offer, transactionHash, payments } = await findPayments(app, request);
  const ids = payments.flatMap(({ paidCallId }) => paidCallId ?? []);
  const rows = await app.db.paidCall.findMany({
    select: { id: true, payer: true, authorization: true, amountAtomic: true },
    where: { id: { in: ids }, operation: unmatchedTransfer },
  });
  const network = offer.network.name;
  return rows.map(({ id: paidCallId, ...row }) => ({ paidCallId, network, transactionHash, ...row }));
}

/** What identifies a payment, and its amount. */
export type PaymentFacts = Pick<
  FoundTransfer,
  'network' | 'payer' | 'authorization' | 'amountAtomic' | 'transactionHash'
>;

/** Explains what the database refused: another operator has booked it, or the ledger follows its transaction itself. */
function explain(cause: unknown): unknown {
  if (!isViolation(cause)) return cause;
  const isBooked = /23505|P2002/.test(JSON.stringify(cause));
  return new TransferError(isBooked ? 'in_ledger' : 'not_final', { cause });
}

/**
 * Checks that a booked transfer can be kept. Changes nothing.
 * @throws TransferError
 */
export async function examineKeeping({ db }: Pick<WithDatabase, 'db'>, paidCallId: string): Promise<void> {
  const call = await db.paidCall.findUnique({
    select: {
      operation: true,
      state: true,
      refunds: { select: { id: true }, where: { state: { in: [...openRefundStates] } } },
    },
    where: { id: paidCallId },
  });
  if (!call) throw new TransferError('call_not_found');
  if (call.operation !== unmatchedTransfer) throw new TransferError('not_booked');
  if (call.state !== 'needs_attention' || call.refunds.length > 0) throw new TransferError('not_waiting');
}

/**
 * Keeps the money of a booked transfer: it becomes revenue, and leaves the worklist. It can still be refunded.
 * @param note why, in the operator's words
 * @throws TransferError
 */
export async function keepMoney(
  app: BookDeps,
  actor: Operator,
  paidCallId: string,
  note: string,
): Promise<void> {
  await examineKeeping(app, paidCallId);
  await app.db.$transaction(async (db) => {
    if (!(await keepTransfer(db, paidCallId, app.clock.date()))) throw new TransferError('not_waiting');
    await recordAction(
      { db },
      {
        actor,
        action: 'transfer.keep',
        target: { kind: 'paid_call', id: paidCallId },
        note,
        before: { state: 'needs_attention' },
        after: { state: 'kept' },
        correlationId: newId('op'),
      },
    );
  });
}
