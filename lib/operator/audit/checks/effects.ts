import { openStates } from '@/lib/ledger/states';
import type { Check } from '../audit-session';

/** Everything delivered was paid for, every paid effect took place, and every reservation belongs to an open call. */
export const effectChecks: readonly Check[] = [
  {
    sql: `SELECT 'an upload was paid for' AS promise, upload.id AS about
      FROM upload LEFT JOIN paid_call ON paid_call.id = upload.paid_call_id
      WHERE paid_call.id IS NULL
        OR (paid_call.state NOT IN ('settled', 'delivered', 'needs_attention', 'refunded')
          AND paid_call.reorganizations = 0)
        OR paid_call.operation NOT IN ('uploads.create', 'render.pdf')`,
  },
  {
    sql: `SELECT 'a delivered call had its effect' AS promise, id AS about FROM paid_call
      WHERE state = 'delivered' AND operation IN ('uploads.create', 'render.pdf')
        AND NOT EXISTS (SELECT FROM upload WHERE upload.paid_call_id = paid_call.id)
      UNION ALL
      SELECT 'a delivered call had its effect', id FROM paid_call
      WHERE state = 'delivered' AND operation = 'uploads.renew'
        AND NOT EXISTS (SELECT FROM upload_renewal WHERE upload_renewal.paid_call_id = paid_call.id)
      UNION ALL
      -- A second deletion of an upload reports the first and leaves no trace of its own, so any deletion by the owner counts.
      SELECT 'a delivered call had its effect', id FROM paid_call
      WHERE state = 'delivered' AND operation = 'uploads.delete'
        AND NOT EXISTS (SELECT FROM upload WHERE owner = payer AND deleted_at IS NOT NULL)`,
  },
  {
    sql: `SELECT 'a reservation belongs to an open call' AS promise, reservation.paid_call_id AS about
      FROM upload_reservation reservation LEFT JOIN paid_call ON paid_call.id = reservation.paid_call_id
      WHERE paid_call.id IS NULL OR paid_call.state::text <> ALL($1)`,
    values: [openStates],
  },
  {
    sql: `SELECT 'an upload counts its reservations' AS promise, upload.id AS about
      FROM upload LEFT JOIN (
        SELECT upload_id, count(*) FILTER (WHERE NOT is_deletion) AS renewals, bool_or(is_deletion) AS is_deleted
        FROM upload_reservation GROUP BY upload_id
      ) reserved ON upload_id = upload.id
      WHERE reserved_renewals <> COALESCE(renewals, 0) OR is_deletion_reserved <> COALESCE(is_deleted, false)`,
  },
];
