import { operations } from '@/lib/catalog';
import type { PreconfirmedResult, PreconfirmedTransaction } from '@/lib/payments/journal';
import type { NetworkName } from '@/lib/payments/network-offers';
import { flushedLater } from '@/lib/platform/database/batched-query';
import type { WithDatabase } from '@/lib/platform/database/database';
import { Prisma } from '@/lib/platform/database/generated/client';
import type { Platform } from '@/lib/platform/platform';
import { withLockedRows } from './lock-rows';
import { listed, paidStates } from './states';
import { callMoves, settlementMoves } from './transition';

/** The move note of a call whose payment was pre-confirmed but did not come through in a block. */
export const preconfirmationLost = 'preconfirmation_lost';

/**
 * The end of a statement whose CTE `lost` holds the calls (`amount_atomic`) that lost their payment by transaction $2 on
 * network $1 at $3. Counts them, and stops answers on pre-confirmations on that network. Returns no row when there are none.
 */
export const stopPreconfirmations = `INSERT INTO preconfirmation_switch AS switch (network, stopped_at, lost_transaction,
    lost_payments, lost_atomic)
  SELECT $1, $3::timestamptz, $2, count(*), sum(amount_atomic) FROM lost HAVING count(*) > 0
  -- The clocks of two instances differ: what either has lost since then is on the worklist.
  ON CONFLICT (network) DO UPDATE SET stopped_at = LEAST(switch.stopped_at, EXCLUDED.stopped_at),
    lost_transaction = COALESCE(switch.lost_transaction, EXCLUDED.lost_transaction),
    lost_payments = switch.lost_payments + EXCLUDED.lost_payments,
    lost_atomic = switch.lost_atomic + EXCLUDED.lost_atomic
  RETURNING (SELECT count(*)::int FROM lost) AS lost`;

/** The balance of a prepaid account can be spent elsewhere at once, so deposits wait for their block. */
const waitingForBlock = operations
  .filter(({ creditsAccount }) => creditsAccount !== undefined)
  .map(({ id }) => id);

const at = Prisma.raw('$3');
const promised = settlementMoves.move('promised', {
  at,
  preconfirmed_at: Prisma.raw('COALESCE(preconfirmed_at, $3::timestamptz)'),
});
const settled = callMoves.move('settled', { at, move_note: null });

/**
 * Open amounts are counted in the snapshot of the statement. `opened` sees the current row of the switch: if another statement
 * has answered calls since, or stopped everything, it changes nothing, and neither does the rest.
 */
const settlePreconfirmed = `
  WITH known AS (
    SELECT version, stopped_at FROM (SELECT) one LEFT JOIN preconfirmation_switch ON network = $1
  ), promised AS (
    SELECT id FROM settlement_transaction promised
    WHERE network = $1 AND hash = $2 AND ${settlementMoves.as('promised').isLegal('promised').sql}
      AND (SELECT stopped_at FROM known) IS NULL
      -- One that was replaced waits for its block: which of the two will be there is open.
      AND NOT EXISTS (SELECT FROM settlement_transaction other WHERE other.network = $1 AND other.signer = promised.signer
        AND other.nonce = promised.nonce AND other.id <> promised.id)
    -- Before the switch: the statement that undoes this locks them in the same order.
    FOR NO KEY UPDATE
  ), open AS (
    SELECT payer, amount_atomic FROM settlement_transaction JOIN paid_call ON settlement_id = settlement_transaction.id
    WHERE settlement_transaction.network = $1 AND settlement_transaction.state = 'preconfirmed'
      AND paid_call.state IN ${listed(paidStates)}
  ), candidate AS (
    SELECT call.id, COALESCE((SELECT sum(amount_atomic) FROM open), 0)
        + sum(amount_atomic) OVER (ORDER BY call.id) AS on_network,
      COALESCE((SELECT sum(amount_atomic) FROM open WHERE open.payer = call.payer), 0)
        + sum(amount_atomic) OVER (PARTITION BY payer ORDER BY call.id) AS of_payer
    FROM paid_call call JOIN promised ON settlement_id = promised.id
    WHERE call.id IN (SELECT jsonb_array_elements_text($4::jsonb)) AND ${callMoves.as('call').isLegal('settled').sql}
      AND amount_atomic <= $6::bigint AND operation NOT IN (SELECT jsonb_array_elements_text($7::jsonb))
  ), affordable AS (
    SELECT id FROM candidate WHERE on_network <= $5::bigint AND of_payer <= $6::bigint
  ), opened AS (
    INSERT INTO preconfirmation_switch AS switch (network, version)
    SELECT $1, 1 WHERE EXISTS (SELECT FROM affordable)
    ON CONFLICT (network) DO UPDATE SET version = switch.version + 1
    WHERE switch.version = (SELECT COALESCE(version, 0) FROM known) AND switch.stopped_at IS NULL
    RETURNING network
  ), marked AS (
    UPDATE settlement_transaction SET ${promised.set.sql}
    FROM promised, opened
    WHERE settlement_transaction.id = promised.id AND ${promised.isLegal.sql}
    RETURNING settlement_transaction.id
  ), settled AS (
    UPDATE paid_call SET ${settled.set.sql}, transaction_hash = $2
    FROM marked
    WHERE paid_call.id IN (SELECT id FROM affordable) AND settlement_id = marked.id
      AND ${settled.isLegal.sql} AND ${flushedLater}
    RETURNING paid_call.id
  )
  SELECT ARRAY(SELECT id FROM settled) AS settled,
    EXISTS (SELECT FROM affordable) AND NOT EXISTS (SELECT FROM opened) AS "isRaced"`;

/**
 * Settles charges of a transaction that a node has promised a block, before it is in one: as many as fit beside the amounts
 * already open, each within the share of its payer, in one statement that no other process can race past. Flushed with the
 * answers of the calls: if it is lost before that, the transaction is open as if nothing had been promised.
 */
export async function recordPreconfirmed(
  app: WithDatabase & Pick<Platform, 'clock'>,
  { network, hash, paidCallIds, openMax }: PreconfirmedTransaction,
): Promise<PreconfirmedResult> {
  const { rows } = await app.statements.query<{ settled: string[]; isRaced: boolean }>(settlePreconfirmed, [
    network,
    hash,
    app.clock.date().toISOString(),
    JSON.stringify(paidCallIds),
    openMax.onNetwork.toString(),
    openMax.ofPayer.toString(),
    JSON.stringify(waitingForBlock),
  ]);
  return rows[0] ?? { settled: [], isRaced: false };
}

const broken = settlementMoves.move('promiseBroken', { at });
const undone = callMoves.move('undone', {
  at,
  move_note: Prisma.raw(`'${preconfirmationLost}'`),
  attempt_at: Prisma.raw('$4::timestamptz'),
});

const undoPreconfirmed = `
  WITH transaction AS (
    UPDATE settlement_transaction SET ${broken.set.sql} WHERE network = $1 AND hash = $2 AND ${broken.isLegal.sql}
    RETURNING id
  ), lost AS (
    UPDATE paid_call SET ${undone.set.sql} FROM transaction WHERE settlement_id = transaction.id AND ${undone.isLegal.sql}
    RETURNING amount_atomic
  )
  ${stopPreconfirmations}`;

/**
 * Undoes, in one transaction, everything a broken promise had settled, as after a reorganization: its calls become `unknown`
 * again, the triggers reverse their postings, and the transaction is open, to be sent again. Also stops answers on
 * pre-confirmations.
 * @returns how many calls became `unknown` again
 */
export async function recordPreconfirmationLost(
  app: WithDatabase & Pick<Platform, 'clock' | 'timings'>,
  network: NetworkName,
  hash: string,
): Promise<number> {
  const now = app.clock.date();
  const attemptAt = new Date(now.getTime() + app.timings.finality.readoptionMs);
  const values = [network, hash, now.toISOString(), attemptAt.toISOString()];
  const [row] = await withLockedRows(app, { network, hashes: [hash] }, (db) =>
    db.$queryRawUnsafe<{ lost: number }[]>(undoPreconfirmed, ...values),
  );
  return row?.lost ?? 0;
}
