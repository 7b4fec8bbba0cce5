import { z } from 'zod';
import type { PaidCall } from '@/lib/calls/paid-call';
import type { ConfirmedSettlement, FinalityRecord } from '@/lib/payments/journal';
import type { NetworkName } from '@/lib/payments/network-offers';
import type { Block, SettledTransaction } from '@/lib/payments/outcome';
import type { WithDatabase } from '@/lib/platform/database/database';
import { Prisma } from '@/lib/platform/database/generated/client';
import type { Platform } from '@/lib/platform/platform';
import { outdated } from './channel-calls';
import { withLockedRows } from './lock-rows';
import { paidCallColumns, toReadableCalls } from './paid-call-rows';
import { listed, reorganized, reversibleStates } from './states';
import { callMoves, settlementMoves } from './transition';

const settledRow = z.object({
  network: z.string(),
  hash: z.string(),
  block_number: z.bigint().nullable(),
  block_hash: z.string().nullable(),
  confirmed_at: z.date(),
});

/** The ledger's record of settlements that may still vanish. */
export function finalityRecord(app: WithDatabase & Pick<Platform, 'timings'>): FinalityRecord {
  return {
    notFinal: (networks) => settlementsNotFinal(app, networks),
    recordFinal: (network, hashes, now) => recordFinal(app, network, hashes, now),
    recordBlock: (network, checked, block) => recordBlock(app, network, checked, block),
    hasPaidCalls: (network, hash) => hasPaidCalls(app, network, hash),
    recordVanished: (network, checked, now) => recordVanished(app, network, checked, now),
  };
}

/**
 * Confirmed settlements that a reorganization may still remove, for each network that has any: the newest, which are the most
 * likely to vanish, and the oldest, which become final next.
 */
async function settlementsNotFinal(
  app: WithDatabase,
  networks: readonly NetworkName[],
): Promise<ReadonlyMap<string, ConfirmedSettlement[]>> {
  const rows = await app.db.$queryRaw<unknown[]>`
    SELECT name AS network, hash, block_number, block_hash, confirmed_at FROM unnest(${networks}::text[]) AS offered (name),
      LATERAL (
        (SELECT hash, block_number, block_hash, COALESCE(confirmed_at, reorganized_at, created_at) AS confirmed_at
          FROM settlement_transaction
          WHERE network = name AND state = 'confirmed' AND final_at IS NULL
          ORDER BY block_number DESC NULLS FIRST LIMIT 2000)
        UNION
        (SELECT hash, block_number, block_hash, COALESCE(confirmed_at, reorganized_at, created_at) AS confirmed_at
          FROM settlement_transaction
          WHERE network = name AND state = 'confirmed' AND final_at IS NULL
          ORDER BY block_number LIMIT 500)
      ) AS settled`;
  const found = new Map<string, ConfirmedSettlement[]>();
  for (const raw of rows) {
    const row = settledRow.parse(raw);
    const block = row.block_number === null ? null : { number: row.block_number, hash: row.block_hash };
    const settled = found.get(row.network) ?? [];
    settled.push({ hash: row.hash, block, confirmedAt: row.confirmed_at });
    found.set(row.network, settled);
  }
  return found;
}

/** Marks transactions that are deep enough to be final. They are never sent again, so their signed bytes are erased. */
async function recordFinal(
  app: WithDatabase,
  network: NetworkName,
  hashes: readonly string[],
  now: Date,
): Promise<void> {
  await app.db.$executeRaw`
    UPDATE settlement_transaction SET final_at = ${now}, raw = NULL
    WHERE network = ${network} AND state = 'confirmed' AND final_at IS NULL
      AND hash IN (SELECT jsonb_array_elements_text(${JSON.stringify(hashes)}::jsonb))`;
}

/** Whether a transaction pays for any call that can still fall back to `unknown`. */
async function hasPaidCalls(app: WithDatabase, network: NetworkName, hash: string): Promise<boolean> {
  const rows = await app.db.$queryRaw<unknown[]>`
    SELECT 1 AS found FROM settlement_transaction settlement JOIN paid_call ON settlement_id = settlement.id
    WHERE settlement.network = ${network} AND settlement.hash = ${hash}
      AND paid_call.state IN ${Prisma.raw(listed(reversibleStates))} LIMIT 1`;
  return rows.length > 0;
}

/** Stores the block of a transaction that was known only by its hash, or that has moved to another block. */
async function recordBlock(
  app: WithDatabase,
  network: NetworkName,
  checked: SettledTransaction,
  block: Block,
): Promise<void> {
  await app.db.$executeRaw`
    UPDATE settlement_transaction SET block_number = ${block.number}, block_hash = ${block.hash}
    WHERE network = ${network} AND ${isAsChecked(checked)} AND state = 'confirmed' AND final_at IS NULL`;
}

/** The chain is asked about a transaction in a block. In the meantime, another process may have found it in another one. */
function isAsChecked({ hash, block }: SettledTransaction): Prisma.Sql {
  return Prisma.sql`hash = ${hash} AND block_number IS NOT DISTINCT FROM ${block?.number ?? null}::bigint
    AND block_hash IS NOT DISTINCT FROM ${block?.hash ?? null}`;
}

/**
 * Undoes, in one transaction, everything a vanished transaction had settled: its calls become `unknown` again, and the triggers
 * reverse their postings and its fee. A transaction of ours is open again, and its sender adopts it; a third party's is left to
 * the third party. What features read from its block is marked as stale.
 * @returns how many calls became `unknown` again
 */
async function recordVanished(
  app: WithDatabase & Pick<Platform, 'timings'>,
  network: NetworkName,
  checked: SettledTransaction,
  now: Date,
): Promise<number> {
  const { hash } = checked;
  const attemptAt = new Date(now.getTime() + app.timings.finality.readoptionMs);
  const removed = settlementMoves.moveByState({ reorganized: { at: now }, vanished: { at: now } });
  const undone = callMoves.move('undone', { at: now, move_note: reorganized, attempt_at: attemptAt });
  const [row] = await withLockedRows(
    app,
    { network, hashes: [hash] },
    (db) => db.$queryRaw<{ calls: number }[]>`
    WITH transaction AS (
      UPDATE settlement_transaction SET ${removed.set}
      WHERE network = ${network} AND ${isAsChecked(checked)} AND ${removed.isLegal}
      RETURNING id
    ), fallen AS (
      UPDATE paid_call SET ${undone.set}
      FROM transaction
      WHERE settlement_id = transaction.id AND ${undone.isLegal}
      RETURNING 1
    ), ${outdated}
    SELECT count(*)::int AS calls FROM fallen`,
  );
  return row?.calls ?? 0;
}

/** The refused calls whose authorization has expired and is not yet known to be unused. */
export function isRefusalToClose(now: Date): Prisma.Sql {
  return Prisma.sql`state = 'refused' AND refusal_final_at IS NULL AND valid_before < ${now}`;
}

/**
 * Refused calls whose authorization has expired and is not yet known to be unused. The calls returned least recently come
 * first, so that a call whose outcome cannot be determined does not hold up the others.
 */
export async function refusalsToClose(
  app: WithDatabase & Pick<Platform, 'log' | 'keys' | 'problems'>,
  now: Date,
  limit: number,
): Promise<PaidCall[]> {
  const rows = await app.db.$queryRaw<unknown[]>`
    UPDATE paid_call SET attempt_at = ${now}
    WHERE id IN (
      SELECT id FROM paid_call
      WHERE ${isRefusalToClose(now)}
      ORDER BY attempt_at LIMIT ${limit}
    ) AND state = 'refused'
    RETURNING ${paidCallColumns}`;
  return toReadableCalls(app, rows);
}

/**
 * The authorization was never used and never can be. Erases the input that was kept in case it was, and frees the idempotency
 * key.
 */
export async function recordRefusalFinal(app: WithDatabase, paidCallId: string, now: Date): Promise<void> {
  await app.db.$executeRaw`
    UPDATE paid_call SET refusal_final_at = ${now}, input = NULL, prepared = NULL, idempotency_key_hash = NULL
    WHERE id = ${paidCallId} AND state = 'refused' AND refusal_final_at IS NULL`;
}
