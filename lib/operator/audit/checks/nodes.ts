import type { Check } from '../audit-session';

/** Compares the nodes of a network in the blocks that all of them have. A node that hides transfers would hide findings. */
export const nodeChecks: readonly Check[] = [
  {
    sql: `WITH compared AS (
        SELECT network, count(*) AS nodes, min(height) AS height FROM audit_node GROUP BY network HAVING count(*) > 1
      ), told AS (
        SELECT network, node, height, concat_ws(' ', payer, "authorization", amount_atomic, 'in', transaction_hash) AS transfer
        FROM audit_told_incoming
        UNION ALL
        SELECT network, node, height, concat_ws(' ', 'to', recipient, amount_atomic, 'in', transaction_hash, transfer_index)
        FROM audit_told_outgoing
      )
      SELECT 'the nodes of a network have the same transfers' AS promise, concat(network, ' ', transfer, ': only RPC ',
          string_agg(DISTINCT told.node::text, ', '), ' of ', nodes) AS about
      FROM told JOIN audit_node USING (network, node) JOIN compared USING (network)
      WHERE told.height <= compared.height
      GROUP BY network, transfer, nodes HAVING count(DISTINCT told.node) < nodes`,
  },
];
