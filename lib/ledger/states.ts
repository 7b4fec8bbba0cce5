import type { PaidCallState } from '@/lib/db/generated/enums';

export type { PaidCallState };

/**
 * The legal moves of a paid call. The database refuses every other one (trigger on paid_call; a test holds
 * the two tables together).
 *
 * - `delivering` is for effects that may begin once only. There is none: those of ours are idempotent, those that cost a
 *   third party are reads, which only the client's own repetition begins again. Both end in one step from `settled`.
 * - Every paid state can fall back to `unknown` when a re-organization took its transaction away. What was delivered stays
 *   delivered: settled once more, the call returns to its answer.
 * - `refused` before anything left the process (its preparation failed, or it was interrupted) can be `claimed` once more
 *   by a repetition of the same request.
 * - `refused` can still become `settled`: while its window lasts anybody may submit the authorization to the chain, and
 *   then the call was paid after all. Until the refusal is final a repetition of the request may also have it claimed, prepared
 *   and submitted again.
 */
export const legalMoves: Readonly<Record<PaidCallState, readonly PaidCallState[]>> = {
  claimed: ['prepared', 'settling', 'refused'],
  prepared: ['settling', 'refused'],
  settling: ['settled', 'refused', 'unknown'],
  unknown: ['settled', 'refused', 'settling'],
  settled: ['delivering', 'delivered', 'kept', 'needs_attention', 'unknown', 'refunded'],
  delivering: ['delivered', 'kept', 'needs_attention', 'unknown', 'refunded'],
  needs_attention: ['delivering', 'delivered', 'kept', 'refunded', 'unknown'],
  delivered: ['refunded', 'unknown'],
  kept: ['refunded', 'unknown'],
  refused: ['settled', 'claimed'],
  refunded: [],
};

/** The states whose money is ours: a transfer on chain must stand behind each. */
export const paidStates: readonly PaidCallState[] = [
  'settled',
  'delivering',
  'delivered',
  'kept',
  'needs_attention',
  'refunded',
];

/** The states in which a payment is prepaid: taken, and neither earned nor given back. */
export const prepaidStates: readonly PaidCallState[] = ['settled', 'delivering', 'needs_attention'];

/** The states from which the program goes on by itself. */
export const openStates: readonly PaidCallState[] = [
  'claimed',
  'prepared',
  'settling',
  'unknown',
  'settled',
  'delivering',
];

/** Whether a call in this state is paid, and its delivery the program's affair. */
export function awaitsDelivery(state: PaidCallState): boolean {
  return state === 'settled' || state === 'delivering';
}
