import type { Block } from '@/lib/payments/outcome';
import type { Payment } from '@/lib/payments/payment';
import type { WithDatabase } from '@/lib/platform/database/database';
import { Prisma } from '@/lib/platform/database/generated/client';
import { newId, newOrderedId } from '@/lib/platform/ids';
import { openRefundStates } from './refund-states';
import { unmatchedTransfer } from './states';
import { callMoves } from './transition';

/**
 * Puts a transfer to us that belongs to no paid call on the operator's worklist, once, however often it is seen.
 * @param operation the operation that its payer requested with it
 */
export async function recordTransferWithoutCall(
  app: WithDatabase,
  payment: Payment,
  transactionHash: string | null,
  operation: string,
  now: Date,
): Promise<void> {
  const { network, asset, payer, authorization, amountAtomic, payTo } = payment;
  await app.db.$executeRaw`
    INSERT INTO transfer_without_call (id, network, asset, payer, "authorization", amount_atomic, pay_to,
      transaction_hash, operation, found_at)
    VALUES (${newId('tw')}, ${network}, ${asset}, ${payer}, ${authorization}, ${amountAtomic}, ${payTo},
      ${transactionHash}, ${operation}, ${now})
    ON CONFLICT (network, asset, payer, "authorization") DO NOTHING`;
}

/** Why a booked transfer is on the worklist. */
export const transferBooked = 'transfer_without_call';

/**
 * The condition that a call was refused for good, so that it does not account for its payment. The payment can be made all the same:
 * where nothing was sent, such as after a preparation that failed, only its payer has it, who may submit it.
 */
const isRefusedForGood = Prisma.sql`paid_call.state = 'refused' AND paid_call.refusal_final_at IS NOT NULL`;

/**
 * The condition that a row of transfer_without_call is not booked, in SQL. Written as a join, PostgreSQL might read every call.
 */
export const isUnbooked = Prisma.sql`(SELECT paid_call.id FROM paid_call
  WHERE paid_call.network = transfer_without_call.network AND paid_call.asset = transfer_without_call.asset
    AND paid_call.payer = transfer_without_call.payer
    AND paid_call."authorization" = transfer_without_call."authorization" AND NOT (${isRefusedForGood})) IS NULL`;

/** Whether a call was refused for good, so that its payment can be booked. */
export async function isBookable({ db }: Pick<WithDatabase, 'db'>, paidCallId: string): Promise<boolean> {
  const rows = await db.$queryRaw<unknown[]>`
    SELECT FROM paid_call WHERE id = ${paidCallId} AND ${isRefusedForGood}`;
  return rows.length > 0;
}

/** A final payment to us, as found on its chain. */
export interface FoundTransfer
  extends Pick<Payment, 'network' | 'asset' | 'payer' | 'authorization' | 'amountAtomic' | 'payTo'> {
  readonly transactionHash: string;
  readonly block: Block;
}

/**
 * Books a payment that the ledger does not know: as prepaid by its payer, in `needs_attention`, where it can be refunded or
 * kept. The triggers of paid_call post it. If a call with this payment was refused for good, it is that call which is paid.
 * @param db a transaction on the database
 * @returns the id of the paid call that stands for it
 * @throws a unique violation when the ledger already has the payment, a check violation when the ledger follows the transaction
 *   and does not know it as final yet
 */
export async function bookTransfer(db: Db, transfer: FoundTransfer, now: Date): Promise<string> {
  const { network, transactionHash, block } = transfer;
  await db.$executeRaw`
    INSERT INTO settlement_transaction (id, network, hash, payments, state, block_number, block_hash, created_at,
      confirmed_at, final_at)
    VALUES (${newOrderedId('st', now)}, ${network}, ${transactionHash}, 1, 'confirmed', ${block.number}, ${block.hash},
      ${now}, ${now}, ${now})
    ON CONFLICT (network, hash) DO NOTHING`;
  const id = (await settleRefused(db, transfer, now)) ?? (await insertSettled(db, transfer, now));
  const listed = callMoves.move('needsAttention', { at: now, move_note: transferBooked });
  await db.$executeRaw`UPDATE paid_call SET ${listed.set} WHERE id = ${id} AND ${listed.isLegal}`;
  return id;
}

type Db = Pick<Prisma.TransactionClient, '$executeRaw' | '$queryRaw'>;

/** @returns the id of the call with this payment that was refused for good; null when there is none */
async function settleRefused(db: Db, transfer: FoundTransfer, now: Date): Promise<string | null> {
  const { network, asset, payer, authorization, amountAtomic, payTo, transactionHash } = transfer;
  const { set, isLegal } = callMoves.move('settledAfterRefusal', { at: now, move_note: null });
  const [row] = await db.$queryRaw<{ id: string }[]>`
    UPDATE paid_call SET ${set}, transaction_hash = ${transactionHash}, settlement_id = settlement.id
    FROM settlement_transaction settlement
    WHERE settlement.network = ${network} AND settlement.hash = ${transactionHash}
      AND settlement.state = 'confirmed' AND settlement.final_at IS NOT NULL
      AND paid_call.network = ${network} AND paid_call.asset = ${asset} AND paid_call.payer = ${payer}
      AND paid_call."authorization" = ${authorization} AND paid_call.pay_to = ${payTo}
      AND paid_call.amount_atomic = ${amountAtomic} AND ${isRefusedForGood} AND ${isLegal}
    RETURNING paid_call.id`;
  return row?.id ?? null;
}

/** @returns the id of a new call, which is settled */
async function insertSettled(db: Db, transfer: FoundTransfer, now: Date): Promise<string> {
  const { network, asset, payer, authorization, amountAtomic, payTo, transactionHash } = transfer;
  const id = newOrderedId('pc', now);
  await db.$executeRaw`
    INSERT INTO paid_call (id, operation, rail, network, asset, payer, "authorization", amount_atomic, pay_to, request_hash,
      state, valid_before, transaction_hash, settlement_id, attempt_at, created_at, moved_at)
    SELECT ${id}, ${unmatchedTransfer}, 'none', ${network}, ${asset}, ${payer}, ${authorization}, ${amountAtomic}, ${payTo},
      ''::bytea, 'settling', ${now}, ${transactionHash}, settlement_transaction.id, ${now}, ${now}, ${now}
    FROM settlement_transaction WHERE network = ${network} AND hash = ${transactionHash}`;
  const settled = callMoves.move('settled', { at: now, move_note: null });
  await db.$executeRaw`UPDATE paid_call SET ${settled.set} WHERE id = ${id} AND ${settled.isLegal}`;
  return id;
}

/**
 * Ends a booked transfer as `kept`: its money is revenue. It can still be refunded.
 * @returns false when it is not a booked transfer that waits for the operator, or is being refunded
 */
export async function keepTransfer(
  db: Pick<Prisma.TransactionClient, '$executeRaw'>,
  paidCallId: string,
  now: Date,
): Promise<boolean> {
  const { set, isLegal } = callMoves.move('keptByOperator', {
    at: now,
    move_note: 'kept_by_operator',
    answer_expires_at: Prisma.raw('created_at'),
  });
  const moved = await db.$executeRaw`
    UPDATE paid_call SET ${set}
    WHERE id = ${paidCallId} AND operation = ${unmatchedTransfer} AND ${isLegal}
      AND NOT EXISTS (SELECT FROM refund
        WHERE paid_call_id = paid_call.id AND refund.state::text IN (${Prisma.join([...openRefundStates])}))`;
  return moved === 1;
}
