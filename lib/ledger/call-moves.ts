import { isFailure, type PaidCall, type StoredAnswer } from '@/lib/calls/paid-call';
import { type Outcome, unknownOutcome } from '@/lib/payments/outcome';
import { batchedQuery, byteaOf } from '@/lib/platform/database/batched-query';
import type { WithDatabase } from '@/lib/platform/database/database';
import { Prisma } from '@/lib/platform/database/generated/client';
import { newOrderedId } from '@/lib/platform/ids';
import type { Platform } from '@/lib/platform/platform';
import { isChargedBefore, isChargedNext } from './channel-calls';
import { answerExpiry, failureReason, keptAnswer, packAnswer } from './kept-answer';
import { insertRefund, recordRefundPosted } from './refund-records';
import { listed, openSettlementStates, type PaidCallState } from './states';
import { callMoves, settlementMoves } from './transition';

/**
 * Records the outcome of a payment that was looked up on the chain, not mined by us: the new state and, when a third party sent
 * the transaction, that transaction. For a call that is charged after its transaction it records only `unknown`, or `refused` when
 * it was never charged; the charge records the rest. Does nothing when the call has moved on, or when the transaction is recorded in
 * another block than the one that was found: one of them has been removed, and the payment may have failed in the other. The
 * next look at the chain decides.
 */
export async function recordOutcome(
  app: WithDatabase,
  paidCallId: string,
  outcome: Outcome,
  now: Date,
): Promise<void> {
  const { kind } = outcome;
  const hash = kind === 'refused' ? null : outcome.transactionHash;
  const block = kind === 'settled' ? outcome.block : null;
  const { set, isLegal } = moveTo(outcome, now);
  const isOpen = Prisma.sql`paid_call.id = ${paidCallId} AND ${isLegal}
    AND NOT (${Prisma.raw(isChargedNext('paid_call'))} AND ${kind} = 'settled')
    AND NOT (${Prisma.raw(isChargedBefore)} AND ${kind} = 'refused')`;
  const inBlock = {
    block_number: Prisma.raw('EXCLUDED.block_number'),
    block_hash: Prisma.raw('EXCLUDED.block_hash'),
  };
  const foundIn = settlementMoves.setIfLegal({ foundAgain: { at: now, ...inBlock }, returned: { at: now } });
  await app.db.$executeRaw`
    WITH transaction AS (
      INSERT INTO settlement_transaction (id, network, hash, payments, state, block_number, block_hash, created_at,
        confirmed_at)
      SELECT ${newOrderedId('st', now)}, network, ${hash}, 1, 'confirmed', ${block?.number ?? null}::bigint, ${block?.hash ?? null},
        ${now}, ${now}
      FROM paid_call WHERE ${isOpen} AND ${kind} = 'settled'
      ON CONFLICT (network, hash) DO UPDATE SET ${foundIn}
      RETURNING id, state <> 'confirmed' OR (COALESCE(block_number = ${block?.number ?? null}::bigint, true)
        AND COALESCE(block_hash = ${block?.hash ?? null}::text, true)) AS is_there
    )
    UPDATE paid_call SET ${set},
      transaction_hash = COALESCE(${hash}, transaction_hash),
      settlement_id = COALESCE((SELECT id FROM transaction), settlement_id),
      queued_for_signer_at = NULL
    WHERE ${isOpen} AND (${kind} <> 'settled' OR EXISTS (SELECT FROM transaction WHERE is_there))`;
}

/** Refuses a call, unless a settlement transaction that is not known to be in a block carries its payment. */
export async function refuseUnlessSent(
  app: WithDatabase,
  paidCallId: string,
  reason: string,
  now: Date,
): Promise<Outcome> {
  const outcome = { kind: 'refused', reason } as const;
  const { set, isLegal } = moveTo(outcome, now);
  // A transaction that another process has stored since the statement began is not among those that it finds, so the condition is
  // that the one which carries the payment is found and is not open.
  const moved = await app.db.$executeRaw`
    UPDATE paid_call SET ${set}, queued_for_signer_at = NULL
    WHERE paid_call.id = ${paidCallId} AND ${isLegal} AND NOT (${Prisma.raw(isChargedBefore)})
      AND (settlement_id IS NULL OR EXISTS (SELECT FROM settlement_transaction carrier
        WHERE carrier.id = paid_call.settlement_id AND carrier.state NOT IN ${Prisma.raw(listed(openSettlementStates))}))`;
  return moved === 1 ? outcome : unknownOutcome;
}

/** The move of a call whose payment has this outcome. */
function moveTo(outcome: Outcome, at: Date) {
  switch (outcome.kind) {
    case 'settled':
      return callMoves.moveByState({
        settled: { at, move_note: null },
        settledAfterRefusal: { at, move_note: null },
      });
    case 'refused':
      return callMoves.move('refused', { at, move_note: outcome.reason, refusal_reason: outcome.reason });
    case 'unknown':
      return callMoves.move('outcomeUnknown', { at, move_note: null });
  }
}

/**
 * `claimed` to `settling`, with what was prepared: from here on the payment may leave the process.
 * @returns false when the call is no longer `claimed`: another process has refused it
 */
export async function recordPrepared(
  app: WithDatabase & Pick<Platform, 'keys'>,
  call: Pick<PaidCall, 'id'>,
  prepared: unknown,
  now: Date,
): Promise<boolean> {
  const kept = app.keys.encrypt(JSON.stringify(prepared ?? null));
  const { set, isLegal } = callMoves.move('prepared', { at: now, move_note: null, prepared: kept });
  const moved = await app.db.$executeRaw`UPDATE paid_call SET ${set} WHERE id = ${call.id} AND ${isLegal}`;
  return moved === 1;
}

/**
 * `claimed` to `refused`: the preparation failed, and nothing was charged. The key is free again, unless the payment was
 * submitted and refused before: then it may still be made.
 * @returns false when the call is no longer `claimed`: another instance has refused it, or may be charging it
 */
export async function recordUnprepared(
  app: WithDatabase,
  call: Pick<PaidCall, 'id'>,
  reason: string,
  now: Date,
): Promise<boolean> {
  const { set, isLegal } = callMoves.moveByState({
    unprepared: { at: now, move_note: reason, refusal_reason: reason },
    unpreparedAgain: { at: now, move_note: reason },
  });
  const moved = await app.db.$executeRaw`UPDATE paid_call SET ${set} WHERE id = ${call.id} AND ${isLegal}`;
  return moved === 1;
}

/** `unknown` back to `settling`, before the payment is submitted again. */
export async function recordResubmission(
  app: WithDatabase,
  call: Pick<PaidCall, 'id'>,
  now: Date,
): Promise<boolean> {
  const { set, isLegal } = callMoves.move('resubmitted', { at: now, move_note: null });
  const moved = await app.db.$executeRaw`UPDATE paid_call SET ${set} WHERE id = ${call.id} AND ${isLegal}`;
  return moved === 1;
}

/**
 * `refused` back to `claimed`, to be prepared and submitted again, because its payment is unused and valid. The caller holds
 * the call from then on. The refusal reason stays until the payment may leave the process: it shows that this is not the first
 * attempt.
 * @returns false when the refusal is final, or another process was faster
 */
export async function recordReopened(
  app: WithDatabase,
  call: Pick<PaidCall, 'id'>,
  instanceId: string,
  now: Date,
): Promise<boolean> {
  const { set, isLegal } = callMoves.move('reopened', { at: now, move_note: null, worked_by: instanceId });
  const moved = await app.db.$executeRaw`UPDATE paid_call SET ${set} WHERE id = ${call.id} AND ${isLegal}`;
  return moved === 1;
}

const answer = {
  at: Prisma.raw('asked.at'),
  move_note: Prisma.raw('asked.note'),
  answer_status: Prisma.raw('asked.status'),
  answer: Prisma.raw('asked.answer'),
  answer_expires_at: Prisma.raw('asked.answer_expires_at'),
};
const ended = callMoves.moveEach([
  ["asked.ended = 'delivered'", { delivered: answer }],
  ["asked.ended = 'kept'", { kept: answer }],
]);

const endWithAnswer = batchedQuery<object, unknown>(
  `WITH asked AS (
     SELECT * FROM json_to_recordset($1::json)
       AS asked(n integer, id text, ended text, status integer, answer bytea, answer_expires_at timestamptz,
         at timestamptz, account_id text, note text)
   ), open_account AS (
     SELECT id FROM account
     WHERE id = ANY (ARRAY(SELECT account_id FROM asked WHERE account_id IS NOT NULL)) AND revoked_at IS NULL
     FOR SHARE
   ), moved AS (
     UPDATE paid_call SET ${ended.set.sql},
       credited_account = COALESCE(asked.account_id, credited_account)
     FROM asked
     WHERE paid_call.id = asked.id AND ${ended.isLegal.sql}
       AND (asked.account_id IS NULL OR asked.account_id IN (SELECT id FROM open_account))
       AND (asked.account_id IS NULL OR credited_account IS NULL)
     RETURNING asked.n, asked.account_id, amount_atomic
   ), credited AS (
     INSERT INTO account_balance (account_id, balance_atomic)
     SELECT account_id, sum(amount_atomic) FROM moved WHERE account_id IS NOT NULL GROUP BY account_id
     ORDER BY account_id
     ON CONFLICT (account_id) DO UPDATE SET balance_atomic = account_balance.balance_atomic + EXCLUDED.balance_atomic
   )
   SELECT n FROM moved`,
);

/**
 * Stores the answer and ends the call, in one statement: as `delivered`, or as `kept`, with its reason, when the answer reports
 * a failure. The same statement credits a deposit. It locks the account against revocation, so that one of the two comes first: the balance
 * that the revocation reports includes what was credited.
 * @param creditedAccount the prepaid account that a deposit enters; null for every other call, and for a deposit that was
 *   credited before a reorganization
 * @returns false when the call could not be ended: another process has ended it, the deposit was credited before, or its
 *   account is revoked
 */
export async function recordResult(
  app: WithDatabase & Pick<Platform, 'keys'>,
  call: Pick<PaidCall, 'id'>,
  answer: StoredAnswer,
  creditedAccount: string | null,
  now: Date,
): Promise<boolean> {
  const rows = await endWithAnswer(app, {
    id: call.id,
    ended: (isFailure(answer) ? 'kept' : 'delivered') satisfies PaidCallState,
    status: answer.status,
    answer: byteaOf(app.keys.encrypt(await packAnswer(keptAnswer(answer)))),
    answer_expires_at: answerExpiry(now),
    at: now,
    account_id: creditedAccount,
    note: failureReason(answer),
  });
  return rows.length === 1;
}

/** `settled` to `needs_attention`: paid, and the program cannot deliver it. From here on it is on the worklist. */
export async function recordNeedsAttention(
  app: WithDatabase,
  call: Pick<PaidCall, 'id'>,
  note: string,
  now: Date,
): Promise<void> {
  const { set, isLegal } = callMoves.move('needsAttention', { at: now, move_note: note });
  await app.db.$executeRaw`UPDATE paid_call SET ${set} WHERE id = ${call.id} AND ${isLegal}`;
}

/**
 * Refunds a settled call that a prepaid account paid for and for which nothing was sent: through `needs_attention` to `refunded`,
 * in one transaction. The database allows one refund of a call, so its price returns to the account once, by a posting of the
 * same triggers as for every refund.
 * @param note why nothing was sent
 * @returns false when the call has moved on
 * @throws a check violation when the account is revoked; nothing is recorded then
 */
export function refundUnsent(
  app: WithDatabase,
  call: Pick<PaidCall, 'id' | 'payment'>,
  note: string,
  now: Date,
): Promise<boolean> {
  return app.db.$transaction(async (db) => {
    const { set, isLegal } = callMoves.move('needsAttention', { at: now, move_note: note });
    const moved = await db.$executeRaw`UPDATE paid_call SET ${set} WHERE id = ${call.id} AND ${isLegal}`;
    if (moved === 0) return false;
    const refund = {
      paidCallId: call.id,
      method: 'account',
      accountId: call.payment.payer,
      reason: 'not_delivered',
      note,
      sinceHeight: null,
    } as const;
    const refundId = await insertRefund(db, refund, now, now);
    await recordRefundPosted(db, refundId, now);
    return true;
  });
}
