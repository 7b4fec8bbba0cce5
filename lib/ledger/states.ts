import type { PaidCallState } from '@/lib/platform/database/generated/enums';

export type { PaidCallState };

/**
 * The legal moves of a paid call. The database refuses every other one (trigger on paid_call; a test compares the two
 * tables).
 *
 * - No call stays in `prepared`: the statement that stores what was prepared also moves the call on to `settling`. Only
 *   its moves show the step.
 * - Every paid state can fall back to `unknown` when a reorganization removes its transaction. A delivery stays
 *   delivered: once the call is settled again, it returns to its answer.
 * - A call becomes `refunded` only together with its refund (lib/ledger/refunds.ts), and only when the program no
 *   longer delivers it.
 * - `refused` before anything left the process (the preparation failed or was interrupted) can be `claimed` again by a
 *   retry of the same request.
 * - `refused` can still become `settled`: until the authorization expires anybody may submit it to the chain, and then the
 *   call was paid after all. Until the refusal is final, a retry may also claim, prepare and submit it again.
 */
export const legalMoves: Readonly<Record<PaidCallState, readonly PaidCallState[]>> = {
  claimed: ['prepared', 'settling', 'refused'],
  prepared: ['settling', 'refused'],
  settling: ['settled', 'refused', 'unknown'],
  unknown: ['settled', 'refused', 'settling'],
  settled: ['delivered', 'kept', 'needs_attention', 'unknown'],
  needs_attention: ['delivered', 'kept', 'refunded', 'unknown'],
  delivered: ['refunded', 'unknown'],
  kept: ['refunded', 'unknown'],
  refused: ['settled', 'claimed'],
  refunded: [],
};

/** The call was paid: there is a transfer on chain, or a debit in our books. */
export const paidStates: readonly PaidCallState[] = [
  'settled',
  'delivered',
  'kept',
  'needs_attention',
  'refunded',
];

/** The call was paid, or its payment was sent and its outcome is not known yet. The index paid_call_of_wallet_idx holds these. */
export const perhapsPaidStates: readonly PaidCallState[] = [...paidStates, 'unknown'];

/** The call was paid, and its price is neither earned nor refunded yet. */
export const prepaidStates: readonly PaidCallState[] = ['settled', 'needs_attention'];

/** An operator may refund the call. */
export const refundableStates = (Object.keys(legalMoves) as PaidCallState[]).filter((state) =>
  legalMoves[state].includes('refunded'),
);

/** The payment may have left the process, and its outcome is not recorded. */
export const submittedStates: readonly PaidCallState[] = ['settling', 'unknown'];

/**
 * The condition that the voucher of a call was charged, and that a reorganization has since removed its deposit. Such a call is
 * not refused: its voucher stands, and the payer's next deposit pays for it.
 */
export const isChargedBefore = `paid_call.channel_id IS NOT NULL AND paid_call.reorganizations > 0
  AND paid_call.state IN ${listed(submittedStates)}`;

/**
 * The operation under which an operator books a payment that belongs to no call in the ledger. It is in no catalog, so nobody
 * can buy it. The database accepts such a payment only when it is final, and lets it be kept or refunded, never delivered.
 */
export const unmatchedTransfer = 'transfers.unmatched';

/** The program continues the call by itself. */
export const openStates: readonly PaidCallState[] = ['claimed', 'prepared', ...submittedStates, 'settled'];

/** Paid calls fall back to `unknown` when their transaction is gone; what was refunded stays so. */
export const reversibleStates = paidStates.filter((state) => legalMoves[state].includes('unknown'));

/**
 * - `prepared`: signed and recorded; it may have been broadcast.
 * - `preconfirmed`: a node has promised it a block, and calls were answered on that (docs/decisions/preconfirmations.md).
 * - `confirmed`: in a block.
 * - `replaced`: another transaction used its nonce, or its blockhash has expired.
 * - `vanished`: a third party's transaction that a reorganization removed.
 */
export type SettlementState = 'prepared' | 'preconfirmed' | 'confirmed' | 'replaced' | 'vanished';

/**
 * The legal moves of a settlement transaction, which the database enforces like those of a paid call. One of ours begins as
 * `prepared`, one of a third party as `confirmed`. A broken promise or a reorganization leads back to `prepared`.
 */
export const legalSettlementMoves: Readonly<Record<SettlementState, readonly SettlementState[]>> = {
  prepared: ['preconfirmed', 'confirmed', 'replaced'],
  preconfirmed: ['prepared', 'confirmed', 'replaced'],
  confirmed: ['prepared', 'vanished'],
  replaced: ['confirmed'],
  vanished: ['confirmed'],
};

/** The transaction is in no block yet, and is followed until it is. */
export const openSettlementStates: readonly SettlementState[] = ['prepared', 'preconfirmed'];

/** A set of states in SQL: `state IN ${listed(paidStates)}`. */
export function listed(states: readonly (PaidCallState | SettlementState)[]): string {
  return `(${states.map((state) => `'${state}'`).join(', ')})`;
}

/** Whether a call in this state is paid and waits for the program, not a person, to deliver it. */
export function awaitsDelivery(state: PaidCallState): boolean {
  return state === 'settled';
}
