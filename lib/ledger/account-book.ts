import { z } from 'zod';
import type { AccountBook } from '@/lib/payments/account/account-settler';
import { balanceTooLow, type Outcome } from '@/lib/payments/outcome';
import { onAccount, type Payment } from '@/lib/payments/payment';
import { batchedQuery } from '@/lib/platform/database/batched-query';
import type { WithDatabase } from '@/lib/platform/database/database';
import { Prisma } from '@/lib/platform/database/generated/client';
import type { Platform } from '@/lib/platform/platform';
import type { PaidCallState } from './states';
import { callMoves, chargedOrRefused } from './transition';

const selectBalance = batchedQuery<object, { balance: bigint | string }>(
  `SELECT n, balance_atomic AS balance FROM json_to_recordset($1::json) AS asked(n integer, id text)
   JOIN account_balance ON account_id = asked.id`,
);

/** The balance of an account in atomic USDC; 0 without a deposit. */
export async function balanceOf(app: WithDatabase, accountId: string): Promise<bigint> {
  const [row] = await selectBalance(app, { id: accountId });
  return BigInt(row?.balance ?? 0);
}

const decision = z.object({
  state: z.custom<PaidCallState>((value) => typeof value === 'string'),
  refusal_reason: z.string().nullable(),
});

const isOpen = callMoves.isLegal('settled', 'refusedForGood');
const decided = chargedOrRefused(balanceTooLow);

/**
 * Charges a call in one statement: if the balance suffices, it is lowered and the call is settled; otherwise the call is
 * refused for good and its key is free again. The row of the call is locked first, so that only one of two attempts decides.
 */
async function debit(app: WithDatabase & Pick<Platform, 'clock'>, payment: Payment): Promise<Outcome> {
  const [row] = await app.db.$queryRaw<unknown[]>`
    WITH call AS (
      SELECT id, payer, amount_atomic FROM paid_call
      WHERE ${isCallOf(payment)} AND ${isOpen}
      FOR UPDATE
    ), debited AS (
      UPDATE account_balance SET balance_atomic = balance_atomic - call.amount_atomic
      FROM call WHERE account_id = call.payer AND balance_atomic >= call.amount_atomic
      RETURNING account_id
    ), decided AS (
      SELECT id, EXISTS (SELECT FROM debited) AS is_paid, ${app.clock.date()}::timestamptz AS at FROM call
    )
    UPDATE paid_call SET ${decided.set} FROM decided WHERE paid_call.id = decided.id AND ${decided.isLegal}
    RETURNING state, refusal_reason`;
  return outcomeOf(decision.parse(row ?? (await decidedBefore(app, payment))));
}

/** All columns of the unique key: if one were missing, an index scan would read every call of the account. */
function isCallOf({ asset, payer, authorization }: Payment): Prisma.Sql {
  return Prisma.sql`network = ${onAccount} AND asset = ${asset} AND payer = ${payer} AND "authorization" = ${authorization}`;
}

async function decidedBefore(app: WithDatabase, payment: Payment): Promise<unknown> {
  const [row] = await app.db.$queryRaw<unknown[]>`
    SELECT state, refusal_reason FROM paid_call WHERE ${isCallOf(payment)}`;
  return row;
}

function outcomeOf({ state, refusal_reason }: z.output<typeof decision>): Outcome {
  if (state === 'refused') return { kind: 'refused', reason: refusal_reason ?? balanceTooLow };
  if (state === 'settling' || state === 'unknown') return { kind: 'unknown', transactionHash: null };
  return { kind: 'settled', transactionHash: null, block: null };
}

/** Prepaid accounts, for their rail and their settler. */
export function accountBook(app: WithDatabase & Pick<Platform, 'clock'>): AccountBook {
  return {
    balanceOf: (accountId) => balanceOf(app, accountId),
    debit: (payment) => debit(app, payment),
  };
}

const entrySchema = z.object({
  id: z.bigint(),
  kind: z.string(),
  is_credit: z.boolean(),
  amount_atomic: z.coerce.bigint(),
  paid_call_id: z.string(),
  operation: z.string(),
  network: z.string(),
  transaction_hash: z.string().nullable(),
  at: z.date(),
});

export type AccountEntry = z.output<typeof entrySchema>;

/** Greater than the id of any posting. */
const noId = 2n ** 63n - 1n;

/**
 * Credits and debits of an account, newest first. Its postings have partial indexes (migration), which PostgreSQL uses only
 * with the LIKE conditions. Both sides are limited before they are joined, so that a page of a long history reads no more
 * than a page.
 * @param before only entries older than the one with this id
 */
export async function accountEntries(
  app: WithDatabase,
  accountId: string,
  { before, limit }: { before: bigint | null; limit: number },
): Promise<AccountEntry[]> {
  const page = Prisma.sql`id < ${before ?? noId}::bigint ORDER BY id DESC LIMIT ${limit}`;
  const rows = await app.db.$queryRaw<unknown[]>`
    SELECT entry.id, entry.kind, entry.is_credit, entry.amount_atomic, entry.paid_call_id, entry.at,
      paid_call.operation, paid_call.network, paid_call.transaction_hash
    FROM (
      (SELECT id, kind, true AS is_credit, amount_atomic, paid_call_id, at FROM posting
        WHERE credit_account = balance_account(${accountId}) AND credit_account LIKE 'account:%' AND ${page})
      UNION ALL
      (SELECT id, kind, false, amount_atomic, paid_call_id, at FROM posting
        WHERE debit_account = balance_account(${accountId}) AND debit_account LIKE 'account:%' AND ${page})
      ORDER BY id DESC LIMIT ${limit}
    ) entry JOIN paid_call ON paid_call.id = entry.paid_call_id
    ORDER BY entry.id DESC`;
  return rows.map((row) => entrySchema.parse(row));
}
