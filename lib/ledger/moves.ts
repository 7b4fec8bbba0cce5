import { batchedQuery, byteaOf } from '@/lib/db/batched-query';
import type { WithDatabase } from '@/lib/db/database';
import type { Outcome } from '@/lib/payments/payment';
import { newId } from '@/lib/platform/ids';
import { accountOf, reorganizedDeposits } from './account-book';
import { isFailure, keptAnswer, type PaidCall, type StoredAnswer } from './paid-call';
import type { PaidCallState } from './states';

/**
 * Writes down what became of a payment, found out rather than mined by us: to the outcome, with the posting when it was
 * settled, and with the transaction that a third party sent. Does nothing when the call has moved on.
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
  await app.db.$executeRaw`
    WITH before AS (
      SELECT id, state, network, settlement_id FROM paid_call
      WHERE id = ${paidCallId} AND state <> ${kind}::paid_call_state
        AND (state IN ('settling', 'unknown', 'claimed', 'prepared') OR (state = 'refused' AND ${kind} = 'settled'))
    ), transaction AS (
      INSERT INTO settlement_transaction (id, network, hash, payments, state, block_number, block_hash, created_at,
        confirmed_at)
      SELECT ${newId('st')}, network, ${hash}, 1, 'confirmed', ${block?.number ?? null}::bigint, ${block?.hash ?? null},
        ${now}, ${now}
      FROM before WHERE ${kind} = 'settled'
      ON CONFLICT (network, hash) DO UPDATE SET state = CASE WHEN settlement_transaction.state = 'prepared'
        THEN 'prepared' ELSE 'confirmed' END
      RETURNING id
    ), moved AS (
      UPDATE paid_call SET state = ${kind}::paid_call_state, moved_at = ${now}, refusal_reason = ${reason},
        transaction_hash = COALESCE(${hash}, transaction_hash),
        settlement_id = COALESCE((SELECT id FROM transaction), paid_call.settlement_id),
        worked_by = CASE WHEN 'refused' IN (before.state::text, ${kind}) THEN NULL ELSE worked_by END,
        -- How often its outcome was asked for says nothing about its delivery, which is due now.
        attempt_at = CASE WHEN ${kind} = 'settled' THEN ${now}::timestamptz ELSE attempt_at END,
        attempts = CASE WHEN ${kind} = 'settled' THEN 0 ELSE attempts END,
        handed_over_at = NULL,
        refusal_final_at = CASE WHEN ${kind} = 'refused' AND before.state IN ('claimed', 'prepared')
          THEN ${now}::timestamptz END,
        input = CASE WHEN ${kind} = 'refused' AND before.state IN ('claimed', 'prepared') THEN NULL ELSE input END,
        prepared = CASE WHEN ${kind} = 'refused' AND before.state IN ('claimed', 'prepared') THEN NULL ELSE prepared END,
        -- Until the refusal is final the key stays bound: what it names may be paid yet.
        idempotency_key_hash = CASE WHEN ${kind} = 'refused' AND before.state IN ('claimed', 'prepared') THEN NULL
          ELSE idempotency_key_hash END
      FROM before WHERE paid_call.id = before.id AND paid_call.state = before.state
      RETURNING paid_call.id, before.state AS from_state, paid_call.network, payer, amount_atomic, reorganizations
    ), moves AS (
      INSERT INTO paid_call_move (paid_call_id, from_state, to_state, at, note)
      SELECT id, from_state, ${kind}::paid_call_state, ${now}, ${reason} FROM moved
    )
    INSERT INTO posting (paid_call_id, kind, round, debit_account, credit_account, amount_atomic, unit, at)
    SELECT id, 'settled', reorganizations, 'chain:' || network || ':treasury', 'prepaid:' || payer, amount_atomic, 'usdc',
      ${now}
    FROM moved WHERE ${kind} = 'settled'`;
}

/**
 * `claimed` through `prepared` to `settling`, with what was prepared: the payment may leave from here on.
 * @returns false when the call was not there any more: somebody else has refused it meanwhile
 */
export async function recordPrepared(
  app: WithDatabase,
  call: PaidCall,
  prepared: unknown,
  now: Date,
): Promise<boolean> {
  const kept = app.keys.encrypt(JSON.stringify(prepared ?? null));
  const moved = await app.db.$executeRaw`
    WITH moved AS (
      UPDATE paid_call SET state = 'settling', moved_at = ${now}, prepared = ${kept}, refusal_reason = NULL
      WHERE id = ${call.id} AND state = 'claimed' RETURNING id
    )
    INSERT INTO paid_call_move (paid_call_id, from_state, to_state, at)
    SELECT id, 'claimed'::paid_call_state, 'prepared'::paid_call_state, ${now}::timestamptz FROM moved
    UNION ALL
    SELECT id, 'prepared'::paid_call_state, 'settling'::paid_call_state, ${now}::timestamptz FROM moved`;
  return moved > 0;
}

/**
 * `claimed` to `refused`: nothing came of the preparation, and nothing was charged. The key is free again, unless the
 * payment was submitted and refused before: then it may still come true.
 * @returns false when the call was not `claimed` any more: another instance has refused it, or may be charging it
 */
export async function recordUnprepared(
  app: WithDatabase,
  call: PaidCall,
  reason: string,
  now: Date,
): Promise<boolean> {
  const moved = await app.db.$executeRaw`
    WITH moved AS (
      UPDATE paid_call SET state = 'refused', moved_at = ${now}, worked_by = NULL,
        refusal_reason = COALESCE(refusal_reason, ${reason}),
        refusal_final_at = CASE WHEN refusal_reason IS NULL THEN ${now}::timestamptz END,
        input = CASE WHEN refusal_reason IS NULL THEN NULL ELSE input END,
        idempotency_key_hash = CASE WHEN refusal_reason IS NULL THEN NULL ELSE idempotency_key_hash END
      WHERE id = ${call.id} AND state = 'claimed' RETURNING id
    )
    INSERT INTO paid_call_move (paid_call_id, from_state, to_state, at, note)
    SELECT id, 'claimed', 'refused', ${now}, ${reason} FROM moved`;
  return moved === 1;
}

/** `unknown` back to `settling`, before the payment is submitted once more. */
export async function recordResubmission(app: WithDatabase, call: PaidCall, now: Date): Promise<boolean> {
  const moved = await app.db.$executeRaw`
    WITH moved AS (
      UPDATE paid_call SET state = 'settling', moved_at = ${now} WHERE id = ${call.id} AND state = 'unknown'
      RETURNING id
    )
    INSERT INTO paid_call_move (paid_call_id, from_state, to_state, at)
    SELECT id, 'unknown', 'settling', ${now} FROM moved`;
  return moved === 1;
}

/**
 * `refused` back to `claimed`, to be prepared and submitted once more, because its payment turned out to be unused and good.
 * The caller holds the call from then on. The reason stays until the payment may leave: it says that this is no first try.
 * @returns false when the refusal has become final, or somebody else was faster
 */
export async function recordReopened(
  app: WithDatabase,
  call: PaidCall,
  instanceId: string,
  now: Date,
): Promise<boolean> {
  const moved = await app.db.$executeRaw`
    WITH moved AS (
      UPDATE paid_call SET state = 'claimed', moved_at = ${now}, prepared = NULL, worked_by = ${instanceId},
        attempts = 0, attempt_at = ${now}
      WHERE id = ${call.id} AND state = 'refused' AND refusal_final_at IS NULL
      RETURNING id
    )
    INSERT INTO paid_call_move (paid_call_id, from_state, to_state, at)
    SELECT id, 'refused', 'claimed', ${now} FROM moved`;
  return moved === 1;
}

const endWithAnswer = batchedQuery<object, unknown>(
  `WITH asked AS (
     SELECT * FROM json_to_recordset($1::json)
       AS asked(n integer, id text, ended paid_call_state, status integer, answer bytea, answer_expires_at timestamptz,
         at timestamptz, enters text, account_id text)
   ), open_account AS (
     SELECT id FROM account WHERE id IN (SELECT account_id FROM asked) AND revoked_at IS NULL FOR SHARE
   ), before AS (
     SELECT asked.*, paid_call.state AS from_state FROM asked JOIN paid_call USING (id)
     WHERE paid_call.state IN ('settled', 'delivering', 'needs_attention')
       AND (account_id IS NULL OR account_id IN (SELECT id FROM open_account))
   ), moved AS (
     UPDATE paid_call SET state = before.ended, moved_at = before.at, answer_status = before.status,
       answer = before.answer, answer_expires_at = before.answer_expires_at, input = NULL, prepared = NULL,
       worked_by = NULL
     FROM before WHERE paid_call.id = before.id AND paid_call.state = before.from_state
     RETURNING before.n, before.at, before.from_state, before.ended, before.enters, before.account_id, paid_call.id, payer,
       operation, amount_atomic, reorganizations
   ), moves AS (
     INSERT INTO paid_call_move (paid_call_id, from_state, to_state, at)
     SELECT id, from_state, ended, at FROM moved
   ), posted AS (
     INSERT INTO posting (paid_call_id, kind, round, debit_account, credit_account, amount_atomic, unit, at)
     SELECT id, ended::text, reorganizations, 'prepaid:' || payer, COALESCE(enters, 'revenue:' || operation),
       amount_atomic, 'usdc', at
     FROM moved
   ), credited AS (
     INSERT INTO account_balance (account_id, balance_atomic)
     SELECT account_id, sum(amount_atomic) FROM moved WHERE account_id IS NOT NULL GROUP BY account_id
     ORDER BY account_id
     ON CONFLICT (account_id) DO UPDATE SET balance_atomic = account_balance.balance_atomic + EXCLUDED.balance_atomic
   )
   SELECT n FROM moved`,
);

/** Where the money of a delivered call goes: it is ours, or it enters an account. */
export type Earned =
  | { readonly kind: 'revenue' }
  | { readonly kind: 'deposit'; readonly accountId: string }
  /** A deposit that entered its account before a re-organization took its settlement away, and that is settled again. */
  | { readonly kind: 'deposit_again' };

/** The account of the ledger that an earning enters; null for the revenue of the operation. */
function accountFor(earned: Earned): string | null {
  if (earned.kind === 'deposit') return accountOf(earned.accountId);
  return earned.kind === 'deposit_again' ? reorganizedDeposits : null;
}

/**
 * Stores the answer, ends the call and posts what it earned, in one statement: as `delivered`, or, when the answer is one of
 * a failure, as `kept`. A deposit is in its account when the call is delivered and not before. The account is locked against
 * its revocation, so that one of the two comes first: money that is credited is in the balance that the revocation tells.
 * @returns false when the call was not there to be ended: somebody else has ended it, or the account of a deposit is revoked
 */
export async function recordEnding(
  app: WithDatabase,
  call: PaidCall,
  answer: StoredAnswer,
  answerExpiresAt: Date,
  earned: Earned,
  now: Date,
): Promise<boolean> {
  const rows = await endWithAnswer(app, {
    id: call.id,
    ended: (isFailure(answer) ? 'kept' : 'delivered') satisfies PaidCallState,
    status: answer.status,
    answer: byteaOf(app.keys.encrypt(keptAnswer(answer))),
    answer_expires_at: answerExpiresAt,
    at: now,
    enters: accountFor(earned),
    account_id: earned.kind === 'deposit' ? earned.accountId : null,
  });
  return rows.length === 1;
}

/** `settled` to `needs_attention`: paid, and not deliverable by the program. The worklist has it from here. */
export async function recordNeedsAttention(
  app: WithDatabase,
  call: Pick<PaidCall, 'id'>,
  note: string,
  now: Date,
): Promise<void> {
  await app.db.$executeRaw`
    WITH before AS (
      SELECT id, state FROM paid_call WHERE id = ${call.id} AND state IN ('settled', 'delivering')
    ), moved AS (
      UPDATE paid_call SET state = 'needs_attention', moved_at = ${now}, worked_by = NULL
      FROM before WHERE paid_call.id = before.id AND paid_call.state = before.state
      RETURNING paid_call.id, before.state AS from_state
    )
    INSERT INTO paid_call_move (paid_call_id, from_state, to_state, at, note)
    SELECT id, from_state, 'needs_attention', ${now}, ${note} FROM moved`;
}
