import { isChargedNext } from '@/lib/ledger/channel-calls';
import { paidStates } from '@/lib/ledger/states';
import type { Check } from '../audit-session';

/**
 * Identifies a payment by network, asset, payer and authorization: payers choose their nonces freely, so two payers may choose
 * the same one. On Solana the authorization is the hash of the whole message, which names its payer.
 */
const samePayment = `transfer.network = call.network AND transfer.asset = call.asset
  AND transfer."authorization" = call."authorization" AND (transfer.payer IS NULL OR transfer.payer = call.payer)`;

/**
 * In a block, the program of a smart wallet on Solana may move another amount than it did in the simulation. Less than the price is
 * no payment. Neither that nor what exceeds the price is in the ledger.
 */
const paysPrice = `(transfer.payer IS NOT NULL OR transfer.amount_atomic >= call.amount_atomic)`;

/** @param startedAt calls that have moved since may be ahead of the transfers that were read */
export function chainChecks(networks: readonly string[], startedAt: Date): Check[] {
  return [
    {
      sql: `WITH matched AS (
          SELECT call.id, call.state, call.amount_atomic, call.transaction_hash, call.state::text = ANY($3) AS is_paid,
            -- Until its refusal is final a call keeps its input: its payment may still be made.
            call.state = 'refused' AND (call.refusal_final_at IS NOT NULL OR call.input IS NULL) AS is_refused,
            count(transfer.transaction_hash) AS transfers, min(transfer.transaction_hash) AS moved_in,
            min(transfer.amount_atomic) FILTER (WHERE transfer.payer IS NOT NULL) AS moved
          FROM paid_call call LEFT JOIN audit_transfer transfer ON ${samePayment} AND ${paysPrice}
          WHERE call.network = ANY($1) AND call.moved_at < $2 AND NOT (${isChargedNext('call')})
          GROUP BY call.id
        )
        SELECT promise, about FROM matched CROSS JOIN LATERAL (VALUES
          (is_paid AND transfers <> 1, 'a settled call has exactly one transfer', id || ': ' || transfers),
          (is_refused AND transfers > 0, 'a refused call was not charged', id),
          (is_paid AND moved_in <> COALESCE(transaction_hash, ''), 'a settled call names its transaction', id),
          (moved <> amount_atomic, 'a transfer moves exactly the price', id)
        ) AS finding(is_broken, promise, about) WHERE is_broken`,
      values: [networks, startedAt, paidStates],
    },
    {
      // Where transfers name their payer, a unique key already ensures this.
      sql: `SELECT 'a transfer pays for one call' AS promise,
          concat_ws(' ', transfer.network, transfer.transaction_hash || ':', string_agg(call.id, ', ' ORDER BY call.id)) AS about
        FROM audit_transfer transfer JOIN paid_call call ON ${samePayment}
        WHERE transfer.payer IS NULL AND NOT (${isChargedNext('call')})
        GROUP BY transfer.network, transfer.asset, transfer."authorization", transfer.transaction_hash
        HAVING count(*) > 1`,
    },
    {
      sql: `SELECT 'a used authorization has a paid call' AS promise,
          concat_ws(' ', network, payer, "authorization", 'in', transaction_hash) AS about,
          json_build_object('network', network, 'payer', payer, 'authorization', "authorization",
            'transactionHash', transaction_hash) AS payment
        FROM audit_transfer transfer WHERE NOT EXISTS (SELECT FROM paid_call call WHERE ${samePayment})
          -- Submitted before its request arrived: it is on the worklist of the operator.
          AND NOT EXISTS (SELECT FROM transfer_without_call call WHERE ${samePayment})`,
    },
  ];
}
