import { type RefundMethod, RefundState } from '@/lib/platform/database/generated/enums';
import { type Event, legalMovesOf } from './state-machine';

export type { RefundMethod, RefundState };

/** What naming a transaction sets. The chain is asked about it at once. */
const namesTransaction = {
  transaction_hash: 'given',
  transfer_index: null,
  sent_until_height: 'given',
  check_at: 'at',
} as const;

/**
 * What can happen to a refund: in which states, where it leads, and what it sets. Every statement that moves a refund is composed
 * from this table (lib/ledger/transition.ts). The database refuses illegal moves a second time, by a trigger; a test compares the
 * two.
 */
export const refundEvents = {
  /** It names a transaction. */
  sent: { from: ['requested'], to: 'sent', sets: namesTransaction },
  /** It names another transaction, because the one before is in no block. */
  sentAgain: { from: ['sent'], to: 'sent', only: { block_number: 'empty' }, sets: namesTransaction },
  /** A reorganization took its transfer out of its block. It stays sent, and is on the worklist. */
  reorganized: {
    from: ['sent'],
    to: 'sent',
    sets: { block_number: null, block_hash: null, transfer_index: null, reorganizations: 'next' },
  },
  /** Its transaction is final and has the transfer. Triggers move the call to `refunded` and post the money. */
  confirmed: {
    from: ['sent'],
    to: 'confirmed',
    sets: { transfer_index: 'given', block_number: 'given', block_hash: 'given' },
  },
  /** It credits a prepaid account, in one transaction of the database. */
  posted: { from: ['requested'], to: 'confirmed', sets: {} },
  /** Its transaction is final without the transfer. */
  failed: { from: ['sent'], to: 'failed', sets: {} },
  /** The operator says that nothing was sent; the chain is searched before that is accepted. */
  cancelled: { from: ['requested', 'sent'], to: 'cancelled', only: { block_number: 'empty' }, sets: {} },
  /** A failed refund is taken off the worklist. */
  dismissed: { from: ['failed'], to: 'cancelled', sets: {} },
} as const satisfies Readonly<Record<string, Event<RefundState>>>;

export const legalRefundMoves = legalMovesOf(Object.values(RefundState), refundEvents);

/** A refund in one of these states may still move money, so no other refund of the same call can begin. */
export const openRefundStates: readonly RefundState[] = ['requested', 'sent'];

/** A refund in one of these states gives the money back, or will. */
export const grantedRefundStates: readonly RefundState[] = [...openRefundStates, 'confirmed'];

/** Why a call is refunded. The database has the same list. */
export const refundReasons = ['not_delivered', 'duplicate', 'requested_by_caller', 'other'] as const;
export type RefundReason = (typeof refundReasons)[number];
