import type { MinedTransaction } from '@/lib/payments/journal';
import { feeUnitOf } from '@/lib/payments/networks';
import { flushedLater } from '@/lib/platform/database/batched-query';
import type { WithDatabase } from '@/lib/platform/database/database';
import { countMined } from './count-settlements';
import { preconfirmationLost, stopPreconfirmations } from './preconfirmations';
import { isChargedBefore, listed, openSettlementStates, reversibleStates, submittedStates } from './states';

const mineTransaction = `
  WITH transaction AS (
    UPDATE settlement_transaction SET state = 'confirmed', confirmed_at = $3::timestamptz, block_number = $4::bigint,
      block_hash = $5, gas_used = $6::bigint, fee_atomic = $7::numeric, fee_in_vain_atomic = $8::numeric, fee_unit = $9
    WHERE network = $1 AND hash = $2 AND state <> 'confirmed'
    RETURNING id, signer, nonce, preconfirmed_at
  ), replaced AS (
    UPDATE settlement_transaction other SET state = 'replaced'
    FROM transaction
    WHERE other.network = $1 AND other.signer = transaction.signer AND other.nonce = transaction.nonce
      AND other.id <> transaction.id AND other.state IN ${listed(openSettlementStates)}
    RETURNING other.id, other.preconfirmed_at
  ), in_vain AS (
    INSERT INTO gas_in_vain (settlement_id, paid_call_id, network, payer, code, gas, at)
    SELECT transaction.id, "paidCallId", $1, payer, code, gas, $3::timestamptz
    FROM transaction, jsonb_to_recordset($10::jsonb)
      AS spent("paidCallId" text, payer text, code text, gas bigint)
    ON CONFLICT (settlement_id, paid_call_id) DO UPDATE SET gas = EXCLUDED.gas
  )`;

const outcomes = `
  SELECT * FROM jsonb_to_recordset($11::jsonb) AS outcome(id text, state paid_call_state, reason text)
  WHERE ${flushedLater}`;

const settled = `state = outcome.state, moved_at = $3::timestamptz, move_note = outcome.reason,
    refusal_reason = outcome.reason,
    transaction_hash = CASE WHEN outcome.state = 'settled' THEN $2 ELSE paid_call.transaction_hash END,
    settlement_id = CASE WHEN outcome.state = 'settled'
      THEN (SELECT id FROM settlement_transaction WHERE network = $1 AND hash = $2)
      ELSE paid_call.settlement_id END,
    worked_by = CASE WHEN 'refused' IN (paid_call.state, outcome.state) THEN NULL ELSE paid_call.worked_by END,
    -- Recovery may have scheduled its next attempt minutes ahead; the delivery is due now.
    attempt_at = CASE WHEN outcome.state = 'settled' THEN $3::timestamptz ELSE paid_call.attempt_at END,
    attempts = CASE WHEN outcome.state = 'settled' THEN 0 ELSE paid_call.attempts END`;

/** A deposit into a payment channel does not pay for its call: the voucher does, and it is charged next. */
const isSettledNow = `paid_call.id = outcome.id AND paid_call.state <> outcome.state
    AND NOT (outcome.state = 'settled' AND paid_call.channel_id IS NOT NULL)
    AND NOT (outcome.state = 'refused' AND ${isChargedBefore})
    AND (paid_call.state IN ${listed(submittedStates)}
      OR (paid_call.state = 'refused' AND outcome.state = 'settled'))`;

/**
 * An older variant of the deposit may be mined instead of the newest. Its call then belongs to that one, and falls back if it
 * vanishes.
 */
const deposited = `deposited AS (
    UPDATE paid_call SET settlement_id = transaction.id FROM transaction, outcome
    WHERE paid_call.id = outcome.id AND outcome.state = 'settled' AND paid_call.channel_id IS NOT NULL
      AND settlement_id <> transaction.id
  )`;

/** For a transaction in which all charges succeeded. */
const updateMined = `${mineTransaction}, outcome AS (${outcomes}), ${deposited}
  UPDATE paid_call SET ${settled} FROM outcome WHERE ${isSettledNow}`;

/**
 * For a transaction in which charges failed. A call that was answered on its pre-confirmation has lost its payment: it is
 * `unknown` again, and the triggers reverse its postings.
 */
const updateMinedWithFailures = `${mineTransaction}, outcome AS (${outcomes}), ${deposited}, settled AS (
    UPDATE paid_call SET ${settled} FROM outcome WHERE ${isSettledNow}
  ), lost AS (
    UPDATE paid_call SET state = 'unknown', moved_at = $3::timestamptz, move_note = '${preconfirmationLost}',
      worked_by = NULL, attempt_at = $3::timestamptz, reorganizations = reorganizations + 1
    WHERE id IN (SELECT jsonb_array_elements_text($12::jsonb)) AND state IN ${listed(reversibleStates)} AND settlement_id IN (
        SELECT id FROM transaction WHERE preconfirmed_at IS NOT NULL
        UNION ALL SELECT id FROM replaced WHERE preconfirmed_at IS NOT NULL)
    RETURNING amount_atomic
  )
  ${stopPreconfirmations}`;

/**
 * Stores what the transaction cost, and what it did to each payment it carried; one round trip for the group. Flushed with the
 * answers of the calls: if it is lost before that, the transaction is open again, and will be found in its block again.
 */
export async function recordMined(app: WithDatabase, transaction: MinedTransaction): Promise<void> {
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
      outcomes.map(({ charge, outcome }) => ({
        id: charge.paidCallId,
        state: outcome.kind,
        reason: outcome.kind === 'refused' ? outcome.reason : null,
      })),
    ),
  ];
  if (failedIds.length === 0) await app.statements.query(updateMined, values);
  else await app.statements.query(updateMinedWithFailures, [...values, JSON.stringify(failedIds)]);
  countMined(app, transaction);
}
