import { z } from 'zod';
import { batchedQuery } from '@/lib/db/batched-query';
import type { WithDatabase } from '@/lib/db/database';
import type { AccountBook } from '@/lib/payments/account/settler';
import { balanceTooLow, inOurBooks, type Outcome, type Payment } from '@/lib/payments/payment';
import type { PaidCallState } from './states';

/** How the ledger names what we owe to the holder of an account. */
export function accountOf(accountId: string): string {
  return `account:${accountId}`;
}

/** What entered accounts and whose settlement a re-organization took away: owed to us until it is settled again. */
export const reorganizedDeposits = 'receivable:reorganized-deposits';

const selectBalance = batchedQuery<object, { balance: bigint | string }>(
  `SELECT n, balance_atomic AS balance FROM json_to_recordset($1::json) AS asked(n integer, id text)
   JOIN account_balance ON account_id = asked.id`,
);

/** What an account holds, in atomic USDC; 0 when it was never paid into. */
export async function balanceOf(app: WithDatabase, accountId: string): Promise<bigint> {
  const [row] = await selectBalance(app, { id: accountId });
  return BigInt(row?.balance ?? 0);
}

const decision = z.object({
  state: z.custom<PaidCallState>((value) => typeof value === 'string'),
  refusal_reason: z.string().nullable(),
});

/**
 * Decides in one statement whether a claimed call is charged: the balance is lowered only where it suffices, and with it
 * the call is settled and the posting made; where it does not, the call is refused for good and its key is free again.
 * The row of the call is locked first, so that of two attempts on it one decides and the other finds it decided.
 */
async function debit(app: WithDatabase, { payer, authorization }: Payment): Promise<Outcome> {
  const now = app.clock.date();
  const [row] = await app.db.$queryRaw<unknown[]>`
    WITH call AS (
      SELECT id, state, payer, amount_atomic, reorganizations FROM paid_call
      WHERE network = ${inOurBooks} AND payer = ${payer} AND "authorization" = ${authorization}
        AND state IN ('settling', 'unknown')
      FOR UPDATE
    ), debited AS (
      UPDATE account_balance SET balance_atomic = balance_atomic - call.amount_atomic
      FROM call WHERE account_id = call.payer AND balance_atomic >= call.amount_atomic
      RETURNING account_id
    ), decided AS (
      SELECT call.*, (SELECT count(*) FROM debited) = 1 AS is_paid FROM call
    ), moved AS (
      UPDATE paid_call SET moved_at = ${now},
        state = CASE WHEN is_paid THEN 'settled'::paid_call_state ELSE 'refused'::paid_call_state END,
        attempt_at = CASE WHEN is_paid THEN ${now}::timestamptz ELSE attempt_at END,
        attempts = CASE WHEN is_paid THEN 0 ELSE attempts END,
        refusal_reason = CASE WHEN is_paid THEN NULL ELSE ${balanceTooLow} END,
        refusal_final_at = CASE WHEN is_paid THEN NULL ELSE ${now}::timestamptz END,
        input = CASE WHEN is_paid THEN paid_call.input END,
        idempotency_key_hash = CASE WHEN is_paid THEN idempotency_key_hash END
      FROM decided WHERE paid_call.id = decided.id
      RETURNING paid_call.id, decided.state AS from_state, paid_call.state AS to_state, refusal_reason, is_paid
    ), moves AS (
      INSERT INTO paid_call_move (paid_call_id, from_state, to_state, at, note)
      SELECT id, from_state, to_state, ${now}, refusal_reason FROM moved
    ), posted AS (
      INSERT INTO posting (paid_call_id, kind, round, debit_account, credit_account, amount_atomic, unit, at)
      SELECT id, 'settled', reorganizations, 'account:' || payer, 'prepaid:' || payer, amount_atomic, 'usdc', ${now}
      FROM decided WHERE is_paid
    )
    SELECT to_state AS state, refusal_reason FROM moved`;
  return outcomeOf(decision.parse(row ?? (await decidedBefore(app, payer, authorization))));
}

async function decidedBefore(app: WithDatabase, payer: string, authorization: string): Promise<unknown> {
  const [row] = await app.db.$queryRaw<unknown[]>`
    SELECT state, refusal_reason FROM paid_call
    WHERE network = ${inOurBooks} AND payer = ${payer} AND "authorization" = ${authorization}`;
  return row;
}

function outcomeOf({ state, refusal_reason }: z.output<typeof decision>): Outcome {
  if (state === 'refused') return { kind: 'refused', reason: refusal_reason ?? balanceTooLow };
  if (state === 'settling' || state === 'unknown') return { kind: 'unknown', transactionHash: null };
  return { kind: 'settled', transactionHash: null, block: null };
}

/** The accounts as their rail and their settler see them. */
export function accountBook(app: WithDatabase): AccountBook {
  return {
    balanceOf: (accountId) => balanceOf(app, accountId),
    debit: (payment) => debit(app, payment),
  };
}
