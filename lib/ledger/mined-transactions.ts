import type { MinedTransaction } from '@/lib/payments/journal';
import { toCoins } from '@/lib/payments/money';
import { feeUnitOf } from '@/lib/payments/network-offers';
import { flushedLater } from '@/lib/platform/database/batched-query';
import type { WithDatabase } from '@/lib/platform/database/database';
import { Prisma } from '@/lib/platform/database/generated/client';
import type { Platform } from '@/lib/platform/platform';
import { isChargedBefore, isChargedNext } from './channel-calls';
import { lockedOfNonce, withLockedRows } from './lock-rows';
import { reorganized } from './states';
import { callMoves, settlementMoves } from './transition';

const at = Prisma.raw('$3');
const mined = settlementMoves.move('mined', {
  at,
  block_number: Prisma.raw('$4::bigint'),
  block_hash: Prisma.raw('$5'),
  gas_used: Prisma.raw('$6::bigint'),
  fee_atomic: Prisma.raw('$7::numeric'),
  fee_in_vain_atomic: Prisma.raw('$8::numeric'),
  fee_unit: Prisma.raw('$9'),
});
const replaced = settlementMoves.as('other').move('replaced', { at });

const mineTransaction = `
  WITH locked AS (
    ${lockedOfNonce}
  ), transaction AS (
    UPDATE settlement_transaction SET ${mined.set.sql} WHERE network = $1 AND hash = $2 AND ${mined.isLegal.sql}
    RETURNING id
  ), replaced AS (
    UPDATE settlement_transaction other SET ${replaced.set.sql}
    FROM locked WHERE other.id = locked.id AND locked.hash <> $2 AND ${replaced.isLegal.sql}
      AND (EXISTS (SELECT FROM transaction) OR EXISTS (SELECT FROM locked WHERE hash = $2 AND state = 'confirmed'))
    RETURNING other.id
  ), in_vain AS (
    INSERT INTO gas_in_vain (settlement_id, paid_call_id, network, payer, code, gas, at)
    SELECT transaction.id, "paidCallId", $1, payer, code, gas, $3::timestamptz
    FROM transaction, jsonb_to_recordset($10::jsonb)
      AS spent("paidCallId" text, payer text, code text, gas bigint)
    ON CONFLICT (settlement_id, paid_call_id) DO UPDATE SET gas = EXCLUDED.gas
  )`;

const outcomes = `
  SELECT * FROM jsonb_to_recordset($11::jsonb) AS outcome(id text, kind text, reason text)
  WHERE ${flushedLater}`;

const reason = Prisma.raw('outcome.reason');
const decided = callMoves.moveEach([
  [
    "outcome.kind = 'settled'",
    { settled: { at, move_note: reason }, settledAfterRefusal: { at, move_note: reason } },
  ],
  ["outcome.kind = 'refused'", { refused: { at, move_note: reason, refusal_reason: reason } }],
]);

const settled = `${decided.set.sql},
    transaction_hash = CASE WHEN outcome.kind = 'settled' THEN $2 ELSE paid_call.transaction_hash END,
    settlement_id = CASE WHEN outcome.kind = 'settled'
      THEN (SELECT id FROM settlement_transaction WHERE network = $1 AND hash = $2)
      ELSE paid_call.settlement_id END`;

/** A call that is charged after its transaction is not paid yet. */
const isSettledNow = `paid_call.id = outcome.id AND ${decided.isLegal.sql}
    AND NOT (outcome.kind = 'settled' AND ${isChargedNext('paid_call')})
    AND NOT (outcome.kind = 'refused' AND ${isChargedBefore})`;

/**
 * An older variant of the deposit may be mined instead of the newest. Its call then belongs to that one, and falls back if it
 * vanishes.
 */
const deposited = `deposited AS (
    UPDATE paid_call SET settlement_id = transaction.id FROM transaction, outcome
    WHERE paid_call.id = outcome.id AND outcome.kind = 'settled' AND ${isChargedNext('paid_call')}
      AND settlement_id <> transaction.id
  )`;

/**
 * For a transaction in which all charges succeeded. `isRaced`: another process has changed a transaction with its nonce at the same
 * moment, and may have undone calls that this statement found settled. The rows are locked before anything is changed, because
 * the query at the end runs first.
 */
const updateMined = `${mineTransaction}, outcome AS (${outcomes}), ${deposited}, settled AS (
    UPDATE paid_call SET ${settled} FROM outcome WHERE ${isSettledNow}
  )
  SELECT bool_or(seen.xmin <> version) AS "isRaced" FROM locked JOIN settlement_transaction seen USING (id)`;

const undone = callMoves.move('undone', {
  at,
  move_note: Prisma.raw(`'${reorganized}'`),
  attempt_at: Prisma.raw('$3::timestamptz'),
});

/**
 * For a transaction in which charges failed. A call that was answered before this transaction was recorded has lost its payment,
 * if this transaction or one with the same nonce was to make it: recovery had found it in a block that a reorganization has since
 * removed. It is `unknown` again, and the triggers reverse its postings.
 */
const updateMinedWithFailures = `${mineTransaction}, outcome AS (${outcomes}), ${deposited}, settled AS (
    UPDATE paid_call SET ${settled} FROM outcome WHERE ${isSettledNow}
  )
  UPDATE paid_call SET ${undone.set.sql}
  WHERE id IN (SELECT jsonb_array_elements_text($12::jsonb)) AND ${undone.isLegal.sql}
    AND settlement_id IN (SELECT id FROM transaction UNION ALL SELECT id FROM replaced)`;

/**
 * Stores what the transaction cost, and what it did to each payment it carried; one round trip for the group, and five where a
 * charge failed. Flushed with the answers of the calls: if it is lost before that, the transaction is open again, and will be
 * found in its block again.
 */
export async function recordMined(
  app: WithDatabase & Pick<Platform, 'clock' | 'metrics'>,
  transaction: MinedTransaction,
): Promise<void> {
  const { network, hash, block, outcomes, inVain, failedIds } = transaction;
  const values = [
    network,
    hash,
    app.clock.date().toISOString(),
    block.number.toString(),
    block.hash,
    transaction.gasUsed.toString(),
    transaction.feeAtomic.toString(),
    transaction.feeInVainAtomic.toString(),
    feeUnitOf(network),
    JSON.stringify(inVain.map((one) => ({ ...one, gas: one.gas.toString(), code: one.code ?? null }))),
    JSON.stringify(
      outcomes
        .map(({ charge, outcome }) => ({
          id: charge.paidCallId,
          kind: outcome.kind,
          reason: outcome.kind === 'refused' ? outcome.reason : null,
        }))
        // In the order in which others lock them.
        .sort(({ id: one }, { id: other }) => (one < other ? -1 : 1)),
    ),
  ];
  if (failedIds.length > 0) {
    const callIds = [...outcomes.map(({ charge }) => charge.paidCallId), ...failedIds];
    await withLockedRows(app, { network, hashes: [hash], callIds }, (db) =>
      db.$executeRawUnsafe(updateMinedWithFailures, ...values, JSON.stringify(failedIds)),
    );
  } else {
    const { rows } = await app.statements.query<{ isRaced: boolean }>(updateMined, values);
    // What the other process has undone is found now.
    if (rows[0]?.isRaced) await app.statements.query(updateMined, values);
  }
  countMined(app, transaction);
}

/** Counts a settlement transaction that is in a block: what it carried, and what it cost. */
function countMined({ metrics }: Pick<Platform, 'metrics'>, transaction: MinedTransaction): void {
  const { network, outcomes, inVain, gasUsed, feeAtomic, feeInVainAtomic } = transaction;
  metrics.settlements.inc({ network, event: 'mined' });
  metrics.settlementPayments.observe({ network }, outcomes.length + inVain.length);
  metrics.gas.inc({ network }, Number(gasUsed));
  metrics.fees.inc({ network }, toCoins(network, feeAtomic));
  metrics.feesInVain.inc({ network }, toCoins(network, feeInVainAtomic));
}
