import { unmatchedTransfer } from '@/lib/ledger/states';
import type { Check } from '../audit-session';

/** Transfers that belong to no call are booked and kept by operators alone, and delivered by nobody. */
export const transferChecks: readonly Check[] = [
  {
    sql: `SELECT promise, call.id AS about FROM paid_call call
      CROSS JOIN LATERAL (VALUES
        (NOT EXISTS (SELECT FROM operator_action WHERE target_id = call.id AND action = 'transfer.book'),
          'an operator has booked a transfer without a call'),
        (state = 'kept' AND NOT EXISTS (SELECT FROM operator_action WHERE target_id = call.id AND action = 'transfer.keep'),
          'an operator has kept a transfer without a call'),
        (state NOT IN ('needs_attention', 'kept', 'refunded'), 'a transfer without a call waits, is kept or refunded')
      ) AS finding(is_broken, promise) WHERE operation = $1 AND is_broken`,
    values: [unmatchedTransfer],
  },
];
