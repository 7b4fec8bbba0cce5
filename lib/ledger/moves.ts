import type { Outcome } from '@/lib/payments/payment';
import { batchedQuery, byteaOf } from '@/lib/platform/database/batched-query';
import type { WithDatabase } from '@/lib/platform/database/database';
import { Prisma } from '@/lib/platform/database/generated/client';
import { newOrderedId } from '@/lib/platform/ids';
import type { PaidCall } from './paid-call';
import {
  isChargedBefore,
  listed,
  openSettlementStates,
  type PaidCallState,
  prepaidStates,
  submittedStates,
} from './states';
import { answerExpiry, failureReason, isFailure, keptAnswer, type StoredAnswer } from './stored-answer';

/** The columns that every statement sets when it moves a call. The triggers of paid_call record the move and post its money. */
export function movedTo(state: PaidCallState, now: Date, note: string | null): Prisma.Sql {
  return Prisma.sql`state = ${state}::paid_call_state, moved_at = ${now}, move_note = ${note}`;
}

/**
 * Records the outcome of a payment that was looked up on the chain, not mined by us: the new state and, when a third party sent
 * the transaction, that transaction. For a payment channel it records only `unknown`, or `refused` when the voucher was never
 * charged; the charge records the rest. Does nothing when the call has moved on.
 */
export async function recordOutcome(
  app: WithDatabase,
  paidCallId: string,
  outcome: Outcome,
  now: Date,
): Promise<void> {
  const { kind } = outcome;
  const hash = kind === 'refused' ? null : outcome.transactionHash;
  const reason = kind === 'refused' ? outcome.reason : null;
  const block = kind === 'settled' ? outcome.block : null;
  const isOpen = Prisma.sql`paid_call.id = ${paidCallId} AND paid_call.state <> ${kind}::paid_call_state
    AND NOT (channel_id IS NOT NULL AND ${kind} = 'settled')
    AND NOT (${Prisma.raw(isChargedBefore)} AND ${kind} = 'refused')
    AND (paid_call.state IN ${Prisma.raw(listed([...submittedStates, 'claimed', 'prepared']))}
      OR (paid_call.state = 'refused' AND ${kind} = 'settled'))`;
  // A transaction that had vanished or been replaced is in a block again.
  const isBack = Prisma.sql`settlement_transaction.state NOT IN ${Prisma.raw(listed([...openSettlementStates, 'confirmed']))}`;
  const isFinal = Prisma.sql`${kind} = 'refused' AND state IN ('claimed', 'prepared')`;
  await app.db.$executeRaw`
    WITH transaction AS (
      INSERT INTO settlement_transaction (id, network, hash, payments, state, block_number, block_hash, created_at,
        confirmed_at)
      SELECT ${newOrderedId('st', now)}, network, ${hash}, 1, 'confirmed', ${block?.number ?? null}::bigint, ${block?.hash ?? null},
        ${now}, ${now}
      FROM paid_call WHERE ${isOpen} AND ${kind} = 'settled'
      -- The sender of one of ours finds it itself, and records what it cost.
      ON CONFLICT (network, hash) DO UPDATE SET
        state = CASE WHEN ${isBack} THEN 'confirmed' ELSE settlement_transaction.state END,
        confirmed_at = CASE WHEN ${isBack} THEN ${now} ELSE settlement_transaction.confirmed_at END,
        block_number = CASE WHEN ${isBack} THEN EXCLUDED.block_number ELSE settlement_transaction.block_number END,
        block_hash = CASE WHEN ${isBack} THEN EXCLUDED.block_hash ELSE settlement_transaction.block_hash END
      RETURNING id
    )
    UPDATE paid_call SET ${movedTo(kind, now, reason)}, refusal_reason = ${reason},
      transaction_hash = COALESCE(${hash}, transaction_hash),
      settlement_id = COALESCE((SELECT id FROM transaction), settlement_id),
      worked_by = CASE WHEN 'refused' IN (state::text, ${kind}) THEN NULL ELSE worked_by END,
      -- Attempts to learn the outcome say nothing about the delivery, which is due now.
      attempt_at = CASE WHEN ${kind} = 'settled' THEN ${now}::timestamptz ELSE attempt_at END,
      attempts = CASE WHEN ${kind} = 'settled' THEN 0 ELSE attempts END,
      queued_for_signer_at = NULL,
      refusal_final_at = CASE WHEN ${isFinal} THEN ${now}::timestamptz END,
      input = CASE WHEN ${isFinal} THEN NULL ELSE input END,
      prepared = CASE WHEN ${isFinal} THEN NULL ELSE prepared END,
      -- Until the refusal is final the payment may still be made, so the key stays bound.
      idempotency_key_hash = CASE WHEN ${isFinal} THEN NULL ELSE idempotency_key_hash END
    WHERE ${isOpen}`;
}

/**
 * `claimed` through `prepared` to `settling`, with what was prepared: from here on the payment may leave the process.
 * @returns false when the call is no longer `claimed`: another process has refused it
 */
export async function recordPrepared(
  app: WithDatabase,
  call: PaidCall,
  prepared: unknown,
  now: Date,
): Promise<boolean> {
  const kept = app.keys.encrypt(JSON.stringify(prepared ?? null));
  const moved = await app.db.$executeRaw`
    UPDATE paid_call SET ${movedTo('settling', now, null)}, prepared = ${kept}, refusal_reason = NULL
    WHERE id = ${call.id} AND state = 'claimed'`;
  return moved === 1;
}

/**
 * `claimed` to `refused`: the preparation failed, and nothing was charged. The key is free again, unless the payment was
 * submitted and refused before: then it may still be made.
 * @returns false when the call is no longer `claimed`: another instance has refused it, or may be charging it
 */
export async function recordUnprepared(
  app: WithDatabase,
  call: PaidCall,
  reason: string,
  now: Date,
): Promise<boolean> {
  const moved = await app.db.$executeRaw`
    UPDATE paid_call SET ${movedTo('refused', now, reason)}, worked_by = NULL,
      refusal_reason = COALESCE(refusal_reason, ${reason}),
      refusal_final_at = CASE WHEN refusal_reason IS NULL THEN ${now}::timestamptz END,
      input = CASE WHEN refusal_reason IS NULL THEN NULL ELSE input END,
      idempotency_key_hash = CASE WHEN refusal_reason IS NULL THEN NULL ELSE idempotency_key_hash END
    WHERE id = ${call.id} AND state = 'claimed'`;
  return moved === 1;
}

/** `unknown` back to `settling`, before the payment is submitted again. */
export async function recordResubmission(app: WithDatabase, call: PaidCall, now: Date): Promise<boolean> {
  const moved = await app.db.$executeRaw`
    UPDATE paid_call SET ${movedTo('settling', now, null)} WHERE id = ${call.id} AND state = 'unknown'`;
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
  call: PaidCall,
  instanceId: string,
  now: Date,
): Promise<boolean> {
  const moved = await app.db.$executeRaw`
    UPDATE paid_call SET ${movedTo('claimed', now, null)}, prepared = NULL, worked_by = ${instanceId}, attempts = 0,
      attempt_at = ${now}
    WHERE id = ${call.id} AND state = 'refused' AND refusal_final_at IS NULL`;
  return moved === 1;
}

const endWithAnswer = batchedQuery<object, unknown>(
  `WITH asked AS (
     SELECT * FROM json_to_recordset($1::json)
       AS asked(n integer, id text, ended paid_call_state, status integer, answer bytea, answer_expires_at timestamptz,
         at timestamptz, account_id text, note text)
   ), open_account AS (
     SELECT id FROM account
     WHERE id = ANY (ARRAY(SELECT account_id FROM asked WHERE account_id IS NOT NULL)) AND revoked_at IS NULL
     FOR SHARE
   ), moved AS (
     UPDATE paid_call SET state = asked.ended, moved_at = asked.at, move_note = asked.note, answer_status = asked.status,
       answer = asked.answer, answer_expires_at = asked.answer_expires_at, input = NULL, prepared = NULL, worked_by = NULL,
       attempts = 0,
       credited_account = COALESCE(asked.account_id, credited_account)
     FROM asked
     WHERE paid_call.id = asked.id AND paid_call.state IN ${listed(prepaidStates)}
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
  app: WithDatabase,
  call: PaidCall,
  answer: StoredAnswer,
  creditedAccount: string | null,
  now: Date,
): Promise<boolean> {
  const rows = await endWithAnswer(app, {
    id: call.id,
    ended: (isFailure(answer) ? 'kept' : 'delivered') satisfies PaidCallState,
    status: answer.status,
    answer: byteaOf(app.keys.encrypt(keptAnswer(answer))),
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
  await app.db.$executeRaw`
    UPDATE paid_call SET ${movedTo('needs_attention', now, note)}, worked_by = NULL
    WHERE id = ${call.id} AND state = 'settled'`;
}
