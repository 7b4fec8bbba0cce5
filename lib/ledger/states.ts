import { PaidCallState, type PaidCallStep } from '@/lib/platform/database/generated/enums';
import { type Event, legalMovesOf } from './state-machine';

export type { PaidCallState, PaidCallStep };

/** What the end of a call sets. */
const answered = {
  answer_status: 'given',
  answer: 'given',
  answer_expires_at: 'given',
  input: null,
  prepared: null,
  worked_by: null,
  attempts: 0,
} as const;

/**
 * What can happen to a paid call: in which states, where it leads, and what it sets. Every statement that moves a call is
 * composed from this table (lib/ledger/transition.ts). The database refuses illegal moves a second time, by a trigger; a test
 * compares the two. A call begins as `claimed`, or as `settling` when nothing has to be prepared.
 */
export const callEvents = {
  /** What was prepared is stored in the statement that allows the charge: from here on the payment may leave the process. */
  prepared: { from: ['claimed'], to: 'settling', sets: { prepared: 'given', refusal_reason: null } },
  /** It was paid. Attempts to learn the outcome say nothing about the delivery, which is due now. */
  settled: {
    from: ['settling', 'unknown'],
    to: 'settled',
    sets: { refusal_reason: null, attempts: 0, attempt_at: 'at' },
  },
  /** Until an authorization expires anybody may submit it, so a refused call can still be paid. Nobody works on it then. */
  settledAfterRefusal: {
    from: ['refused'],
    to: 'settled',
    sets: { refusal_reason: null, attempts: 0, attempt_at: 'at', worked_by: null, refusal_final_at: null },
  },
  /** It was not charged. Until the refusal is final the payment may still be made, so its key stays bound and its input is kept. */
  refused: {
    from: ['settling', 'unknown'],
    to: 'refused',
    sets: { refusal_reason: 'given', worked_by: null },
  },
  /** Our own books refused it, where nobody else can submit the payment. */
  refusedForGood: {
    from: ['settling', 'unknown'],
    to: 'refused',
    sets: { refusal_reason: 'given', refusal_final_at: 'at', input: null, idempotency_key_hash: null },
  },
  /** Nothing was sent, and nothing will be: the preparation failed or was interrupted. The key is free again. */
  unprepared: {
    from: ['claimed'],
    to: 'refused',
    only: { refusal_reason: 'empty' },
    sets: {
      worked_by: null,
      refusal_reason: 'given',
      refusal_final_at: 'at',
      input: null,
      idempotency_key_hash: null,
    },
  },
  /** The same for a call that was submitted and refused before: that payment may still be made, so its key stays bound. */
  unpreparedAgain: {
    from: ['claimed'],
    to: 'refused',
    only: { refusal_reason: 'filled' },
    sets: { worked_by: null },
  },
  /** The payment may have left the process, and its outcome is not known. */
  outcomeUnknown: { from: ['settling'], to: 'unknown', sets: {} },
  /** The payment is about to be submitted again. */
  resubmitted: { from: ['unknown'], to: 'settling', sets: {} },
  /** The answer is stored. What was kept to produce it is erased. */
  delivered: { from: ['settled', 'needs_attention'], to: 'delivered', sets: answered },
  /** The answer that is stored reports a failure after the charge. */
  kept: { from: ['settled', 'needs_attention'], to: 'kept', sets: answered },
  /** An operator keeps a payment that belongs to no call. */
  keptByOperator: { from: ['needs_attention'], to: 'kept', sets: { answer_expires_at: 'given' } },
  /** It was paid, and the program cannot deliver it. From here on it is on the worklist. */
  needsAttention: { from: ['settled'], to: 'needs_attention', sets: { worked_by: null } },
  /** A trigger moves the call together with its refund. The program no longer delivers it. */
  refunded: { from: ['needs_attention', 'delivered', 'kept'], to: 'refunded', sets: {} },
  /**
   * A reorganization or a broken promise of a node took the payment away. A delivery stays delivered: once the call is settled
   * again, it returns to its answer. What was refunded stays so.
   */
  undone: {
    from: ['settled', 'delivered', 'kept', 'needs_attention'],
    to: 'unknown',
    sets: { worked_by: null, attempt_at: 'given', reorganizations: 'next' },
  },
  /**
   * The payment of a refused call is unused and valid, so it is prepared and submitted again, by the process that holds it from
   * then on. The refusal reason stays until the payment may leave the process: it shows that this is not the first attempt.
   */
  reopened: {
    from: ['refused'],
    to: 'claimed',
    only: { refusal_final_at: 'empty' },
    sets: { prepared: null, worked_by: 'given', attempts: 0, attempt_at: 'at' },
  },
  /** A retry claims a call again whose payment never left the process. */
  restarted: {
    from: ['refused'],
    to: 'claimed',
    only: { refusal_final_at: 'filled', transaction_hash: 'empty', settlement_id: 'empty' },
    sets: {
      input: 'given',
      payment: 'given',
      request_digest: 'given',
      idempotency_key_hash: 'given',
      claim_token_hash: 'given',
      worked_by: 'given',
      attempts: 0,
      attempt_at: 'at',
      refusal_reason: null,
      refusal_final_at: null,
    },
  },
} as const satisfies Readonly<Record<string, Event<PaidCallState>>>;

export const legalMoves = legalMovesOf(Object.values(PaidCallState), callEvents);

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
export const prepaidStates: readonly PaidCallState[] = callEvents.delivered.from;

/** An operator may refund the call. */
export const refundableStates: readonly PaidCallState[] = callEvents.refunded.from;

/** The payment may have left the process, and its outcome is not recorded. */
export const submittedStates: readonly PaidCallState[] = callEvents.settled.from;

/**
 * The operation under which an operator books a payment that belongs to no call in the ledger. It is in no catalog, so nobody
 * can buy it. The database accepts such a payment only when it is final, and lets it be kept or refunded, never delivered.
 */
export const unmatchedTransfer = 'transfers.unmatched';

/** The program continues the call by itself. */
export const openStates: readonly PaidCallState[] = ['claimed', ...submittedStates, 'settled'];

/** The call was paid or may be, and has no answer yet: its payer must not pay for the same again. */
export const underWayStates: readonly PaidCallState[] = [...openStates, 'needs_attention'];

/** The move note of a call whose transaction a reorganization has removed. */
export const reorganized = 'reorganized';

/** Paid calls fall back to `unknown` when their transaction is gone; what was refunded stays so. */
export const reversibleStates: readonly PaidCallState[] = callEvents.undone.from;

/**
 * - `prepared`: signed and recorded; it may have been broadcast.
 * - `confirmed`: in a block.
 * - `replaced`: another transaction used its nonce, or its blockhash has expired. A reorganization can bring it back.
 * - `vanished`: a third party's transaction that a reorganization removed.
 */
export type SettlementState = 'prepared' | 'confirmed' | 'replaced' | 'vanished';

/** What a reorganization takes from a transaction. */
const takenOutOfBlock = {
  reorganizations: 'next',
  reorganized_at: 'at',
  confirmed_at: null,
  block_number: null,
  block_hash: null,
  gas_used: null,
  fee_atomic: null,
  fee_in_vain_atomic: null,
  fee_unit: null,
} as const;

/**
 * What can happen to a settlement transaction, as `callEvents` for a call. One of ours begins as `prepared`, one of a third
 * party as `confirmed`.
 */
export const settlementEvents = {
  /** Its sender has found it in a block, and knows what it cost. */
  mined: {
    from: ['prepared', 'replaced', 'vanished'],
    to: 'confirmed',
    sets: {
      confirmed_at: 'at',
      block_number: 'given',
      block_hash: 'given',
      gas_used: 'given',
      fee_atomic: 'given',
      fee_in_vain_atomic: 'given',
      fee_unit: 'given',
    },
  },
  /** One of a third party had vanished, and a call's payment was found in it. */
  foundAgain: {
    from: ['vanished'],
    to: 'confirmed',
    sets: { confirmed_at: 'at', block_number: 'given', block_hash: 'given' },
  },
  /**
   * One of ours had been replaced, and a call's payment was found in it. What is open is left to its sender, which finds it in its
   * block and knows what it cost.
   */
  returned: { from: ['replaced'], to: 'prepared', sets: { reorganized_at: 'at' } },
  /** Another transaction with its nonce is in a block. */
  replaced: { from: ['prepared'], to: 'replaced', sets: {} },
  /** It can never be mined: its nonce is used, or its blockhash has expired. */
  dropped: { from: ['prepared'], to: 'replaced', sets: {} },
  /** A reorganization removed one of ours, which is open again. */
  reorganized: {
    from: ['confirmed'],
    to: 'prepared',
    only: { raw: 'filled', final_at: 'empty' },
    sets: takenOutOfBlock,
  },
  /** A reorganization removed one of a third party, which alone can send it again. */
  vanished: {
    from: ['confirmed'],
    to: 'vanished',
    only: { raw: 'empty', final_at: 'empty' },
    sets: takenOutOfBlock,
  },
} as const satisfies Readonly<Record<string, Event<SettlementState>>>;

/** The legal moves of a settlement transaction, which the database enforces like those of a paid call. */
export const legalSettlementMoves = legalMovesOf<SettlementState>(
  ['prepared', 'confirmed', 'replaced', 'vanished'],
  settlementEvents,
);

/** The transaction is in no block yet, and is followed until it is. */
export const openSettlementStates: readonly SettlementState[] = settlementEvents.replaced.from;

/** A set of states in SQL: `state IN ${listed(paidStates)}`. */
export function listed(states: readonly (PaidCallState | SettlementState)[]): string {
  return `(${states.map((state) => `'${state}'`).join(', ')})`;
}

/** Whether a call in this state is paid and waits for the program, not a person, to deliver it. */
export function awaitsDelivery(state: PaidCallState): boolean {
  return state === 'settled';
}
