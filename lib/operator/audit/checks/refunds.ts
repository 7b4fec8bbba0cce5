import { onAccount } from '@/lib/payments/payment';
import type { Check } from '../audit-session';

/** Refunds against their calls and their postings. */
export const refundChecks: readonly Check[] = [
  {
    sql: `SELECT promise, call.id AS about FROM paid_call call LEFT JOIN (
        SELECT paid_call_id, count(*) AS refunds, min(amount_atomic) AS amount FROM refund
        WHERE state = 'confirmed' GROUP BY paid_call_id
      ) given ON paid_call_id = call.id
      CROSS JOIN LATERAL (VALUES
        ((state = 'refunded') <> (refunds IS NOT NULL), 'a refunded call has a confirmed refund'),
        (refunds > 1, 'a call is refunded once'),
        (amount <> amount_atomic, 'a refund is of the price')
      ) AS finding(is_broken, promise) WHERE (state = 'refunded' OR refunds IS NOT NULL) AND is_broken`,
  },
  {
    sql: `SELECT 'a refund is posted from where the money was to where it went' AS promise, refund.id || ' of ' || refund.paid_call_id AS about
      FROM refund JOIN paid_call call ON call.id = paid_call_id
        LEFT JOIN posting ON posting.paid_call_id = call.id AND kind = 'refunded'
      WHERE refund.state = 'confirmed' AND (debit_account, credit_account, posting.amount_atomic) IS DISTINCT FROM (
        CASE WHEN EXISTS (SELECT FROM posting earned WHERE earned.paid_call_id = call.id AND earned.kind IN ('delivered', 'kept')
            AND earned.round = call.reorganizations)
          THEN revenue_account(operation) ELSE prepaid_account(payer) END,
        CASE method WHEN 'account' THEN balance_account(recipient) ELSE treasury_account(refund.network) END,
        call.amount_atomic::numeric)`,
  },
  {
    // Only a payer, or an account, gets something back.
    sql: `SELECT 'a refund goes to the payer of its call, or into an account' AS promise, refund.id || ' of ' || refund.paid_call_id AS about
      FROM refund JOIN paid_call call ON call.id = paid_call_id
      WHERE CASE WHEN method <> 'account' THEN (refund.network, refund.asset, recipient) <> (call.network, call.asset, payer)
        WHEN call.network = $1 THEN recipient <> payer
        ELSE NOT EXISTS (SELECT FROM account WHERE account.id = recipient) END`,
    values: [onAccount],
  },
  {
    sql: `SELECT 'the moves of a refund lead to its state' AS promise, refund.id || ' of ' || paid_call_id || ': ' || state AS about
      FROM refund LEFT JOIN (
        SELECT DISTINCT ON (refund_id) refund_id, to_state FROM refund_move ORDER BY refund_id, id DESC
      ) last ON last.refund_id = refund.id
      WHERE last.to_state IS DISTINCT FROM state`,
  },
];

/**
 * Transfers out of the treasury against refunds. A transfer to a wallet that paid exactly this amount for a call is assumed to
 * be a refund; any other is the operator's own business, such as a sweep.
 * @param networks whose transfers were read
 * @param startedAt refunds that have moved since may be ahead of the transfers that were read
 */
export function outgoingChecks(networks: readonly string[], startedAt: Date): Check[] {
  return [
    {
      sql: `SELECT 'a confirmed refund has its transfer' AS promise, refund.id || ' of ' || refund.paid_call_id AS about FROM refund
        WHERE state = 'confirmed' AND network = ANY($1) AND moved_at < $2 AND NOT EXISTS (
          SELECT FROM audit_outgoing outgoing
          WHERE outgoing.network = refund.network AND outgoing.asset = refund.asset
            AND outgoing.transaction_hash = refund.transaction_hash AND outgoing.transfer_index = refund.transfer_index
            AND outgoing.recipient = refund.recipient AND outgoing.amount_atomic = refund.amount_atomic)`,
      values: [networks, startedAt],
    },
    {
      sql: `SELECT 'a transfer from the treasury to a payer is a refund' AS promise,
          concat_ws(' ', outgoing.network, recipient, amount_atomic, 'in', transaction_hash) AS about
        FROM audit_outgoing outgoing
        WHERE EXISTS (SELECT FROM paid_call call WHERE call.payer = recipient AND call.network = outgoing.network
            AND call.amount_atomic = outgoing.amount_atomic AND call.asset = outgoing.asset)
          AND NOT EXISTS (SELECT FROM refund WHERE refund.network = outgoing.network
            AND refund.transaction_hash = outgoing.transaction_hash AND state IN ('sent', 'confirmed')
            AND COALESCE(refund.transfer_index, outgoing.transfer_index) = outgoing.transfer_index)`,
    },
  ];
}
