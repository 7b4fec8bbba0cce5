import type { RefundMethod, RefundState } from '@/lib/platform/database/generated/enums';

export type { RefundMethod, RefundState };

/**
 * The legal moves of a refund. The database refuses every other one (trigger on refund; a test compares the two tables).
 *
 * - `sent` names a transaction. It becomes `confirmed` when that transaction is final and has the transfer, and `failed`
 *   when it is final without it. A refund that a reorganization takes out of its block stays `sent`.
 * - A refund into a prepaid account goes from `requested` to `confirmed` in one transaction of the database.
 * - `cancelled` means that the operator says nothing was sent; the chain is searched before that is accepted. A `failed` refund
 *   is cancelled to take it off the worklist.
 */
export const legalRefundMoves: Readonly<Record<RefundState, readonly RefundState[]>> = {
  requested: ['sent', 'confirmed', 'cancelled'],
  sent: ['confirmed', 'failed', 'cancelled'],
  confirmed: [],
  failed: ['cancelled'],
  cancelled: [],
};

/** A refund in one of these states may still move money, so no other refund of the same call can begin. */
export const openRefundStates: readonly RefundState[] = ['requested', 'sent'];

/** Why a call is refunded. The database has the same list. */
export const refundReasons = ['not_delivered', 'duplicate', 'requested_by_caller', 'other'] as const;
export type RefundReason = (typeof refundReasons)[number];
