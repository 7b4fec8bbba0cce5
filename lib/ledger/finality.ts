import { z } from 'zod';
import type { WithDatabase } from '@/lib/db/database';
import type { NetworkName } from '@/lib/payments/networks';
import type { Block, SettledTransaction } from '@/lib/payments/payment';
import { reorganizedDeposits } from './account-book';

const settledRow = z.object({
  hash: z.string(),
  block_number: z.bigint().nullable(),
  block_hash: z.string().nullable(),
});

/** Settled transactions of a network that a re-organization may still take away, newest block first. */
export async function settlementsNotFinal(
  app: WithDatabase,
  network: NetworkName,
): Promise<SettledTransaction[]> {
  const rows = await app.db.$queryRaw<unknown[]>`
    SELECT hash, block_number, block_hash FROM settlement_transaction
    WHERE network = ${network} AND state = 'confirmed' AND final_at IS NULL
    ORDER BY block_number DESC NULLS FIRST LIMIT 2000`;
  return rows.map((raw) => {
    const row = settledRow.parse(raw);
    const block = row.block_number === null ? null : { number: row.block_number, hash: row.block_hash };
    return { hash: row.hash, block };
  });
}

/** Settles the question for transactions that lie deep enough. */
export async function recordFinal(
  app: WithDatabase,
  network: NetworkName,
  hashes: readonly string[],
  now: Date,
): Promise<void> {
  await app.db.$executeRaw`
    UPDATE settlement_transaction SET final_at = ${now}
    WHERE network = ${network} AND state = 'confirmed' AND final_at IS NULL
      AND hash IN (SELECT jsonb_array_elements_text(${JSON.stringify(hashes)}::jsonb))`;
}

/** The block of a transaction of which only the hash was known. */
export async function recordBlock(
  app: WithDatabase,
  network: NetworkName,
  hash: string,
  block: Block,
): Promise<void> {
  await app.db.$executeRaw`
    UPDATE settlement_transaction SET block_number = ${block.number}, block_hash = ${block.hash}
    WHERE network = ${network} AND hash = ${hash} AND state = 'confirmed' AND final_at IS NULL`;
}

/**
 * Takes back, in one statement, what a vanished transaction had settled: its calls are `unknown` again, its postings
 * reversed. A transaction of ours is open again, and its sender takes it up; what a third party sent is its affair.
 * @returns how many calls fell back
 */
export async function recordVanished(
  app: WithDatabase,
  network: NetworkName,
  hash: string,
  now: Date,
): Promise<number> {
  const attemptAt = new Date(now.getTime() + app.timings.finality.readoptionMs);
  const [row] = await app.db.$queryRaw<{ calls: number }[]>`
    WITH transaction AS (
      UPDATE settlement_transaction SET state = CASE WHEN raw IS NULL THEN 'vanished' ELSE 'prepared' END,
        reorganizations = reorganizations + 1, block_number = NULL, block_hash = NULL, gas_used = NULL,
        confirmed_at = NULL
      WHERE network = ${network} AND hash = ${hash} AND state = 'confirmed' AND final_at IS NULL
      RETURNING id, reorganizations
    ), gas AS (
      INSERT INTO posting (settlement_id, kind, round, debit_account, credit_account, amount_atomic, unit, at)
      SELECT settlement_id, kind || '_reversed', round, credit_account, debit_account, amount_atomic, unit, ${now}
      FROM posting JOIN transaction ON settlement_id = transaction.id AND round = transaction.reorganizations - 1
      WHERE kind IN ('gas', 'gas_in_vain')
    ), before AS (
      SELECT paid_call.id, state FROM paid_call JOIN transaction ON settlement_id = transaction.id
      WHERE state IN ('settled', 'delivering', 'delivered', 'kept', 'needs_attention')
    ), moved AS (
      UPDATE paid_call SET state = 'unknown', moved_at = ${now}, worked_by = NULL, attempt_at = ${attemptAt},
        reorganizations = reorganizations + 1
      FROM before WHERE paid_call.id = before.id AND paid_call.state = before.state
      RETURNING paid_call.id, before.state AS from_state, reorganizations
    ), moves AS (
      INSERT INTO paid_call_move (paid_call_id, from_state, to_state, at, note)
      SELECT id, from_state, 'unknown', ${now}, 'reorganized' FROM moved
    ), reversed AS (
      INSERT INTO posting (paid_call_id, kind, round, debit_account, credit_account, amount_atomic, unit, at)
      SELECT paid_call_id, kind || '_reversed', round,
        -- What entered an account may be spent: it stays there, and the books say that a settlement is owed for it.
        CASE WHEN credit_account LIKE 'account:%' THEN ${reorganizedDeposits} ELSE credit_account END,
        debit_account, amount_atomic, unit, ${now}
      FROM posting JOIN moved ON paid_call_id = moved.id AND round = moved.reorganizations - 1
      WHERE kind IN ('settled', 'delivered', 'kept')
    )
    SELECT count(*)::int AS calls FROM moved`;
  return row?.calls ?? 0;
}

/**
 * The authorization was never used and never will be: what was kept for the case that it is goes, and the idempotency key
 * is free again.
 */
export async function recordRefusalFinal(app: WithDatabase, paidCallId: string, now: Date): Promise<void> {
  await app.db.$executeRaw`
    UPDATE paid_call SET refusal_final_at = ${now}, input = NULL, prepared = NULL, idempotency_key_hash = NULL
    WHERE id = ${paidCallId} AND state = 'refused' AND refusal_final_at IS NULL`;
}
