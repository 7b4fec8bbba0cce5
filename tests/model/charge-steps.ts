import { paidStates, submittedStates } from '@/lib/ledger/states';
import type { Step } from './checker';
import { move, moveTransaction, type Row, type State } from './state';
import {
  type Context,
  isFree,
  isOpenTransaction,
  lookAt,
  released,
  respond,
  stillRefused,
  to,
  work,
} from './step-context';
import { less } from './world';

/** What a process does to charge a payment, and to find out whether it is charged. */

/** lib/payments/evm/evm-sender.ts, `charge`; lib/payments/account/account-settler.ts */
export function submit(context: Context): Step<State>[] {
  if (context.variant.paysFrom === 'account') return debit(context);
  const { state, name, process, variant } = context;
  if (process.follows) return [work('joins its own charge', to(context, 'wait'))];
  if (!state.chain.isFunded) {
    // `findOverdrawn`, and `isUnderWay` in refuse-unsent.ts
    const isUnderWay = state.row?.settlement_id === 'ours' && isOpenTransaction(state);
    return isUnderWay && variant.mistake !== 'refuses while a transaction is open'
      ? [work('cannot refuse a payment under way', to(context, 'record', { known: 'unknown' }))]
      : [work('finds that the payer has no money', to(context, 'refuse unsent', { known: lookAt(state) }))];
  }
  const mayHaveKey =
    state.key === name ||
    isFree(context, state.key) ||
    variant.mistake === 'sends while another process has the key';
  if (!mayHaveKey) return [work('queues the charge', to(context, 'wait'))];
  if (isOpenTransaction(state) && variant.mistake !== 'sends while another process has the key')
    return [
      work('adopts the open transaction', to(context, 'wait', { follows: true }, { ...state, key: name })),
    ];
  // A second transaction would fail in its block, which costs its fee. The model has only one.
  if (state.chain.payment === 'ours')
    return [work('would pay twice in vain', to(context, 'record', { known: 'unknown' }))];
  const sent = sign(context);
  return [
    sent
      ? work('records the signed transaction', to(context, 'wait', { follows: true }, sent))
      : work('may not send a refused charge', to(context, 'record', { known: 'unknown' })),
  ];
}

/** lib/ledger/settlement-journal.ts, `insertPrepared`: null when the call is refused */
export function sign({ state, name }: Context): State | null {
  const { row, chain } = state;
  if (!row || (row.state === 'refused' && !(row.settlement_id === 'ours' && isOpenTransaction(state))))
    return null;
  const isCarried = submittedStates.includes(row.state);
  return {
    ...state,
    row: isCarried ? { ...row, settlement_id: 'ours', transaction_hash: 'ours' } : row,
    ours: { state: 'prepared', raw: 'kept', final_at: null, isGone: false, isInVain: false },
    chain: { ...chain, ours: 'nowhere', isFailureFinal: false },
    key: name,
    broken: isOpenTransaction(state) ? 'one transaction at a time makes the payment' : state.broken,
  };
}

/** lib/ledger/account-book.ts, `debit` */
function debit(context: Context): Step<State>[] {
  const { state, variant } = context;
  const { row, chain } = state;
  const ignoresState =
    variant.mistake === 'debits without looking at the state' && row?.state === 'delivered';
  if (ignoresState)
    return [work('debits again', to(context, 'wait', {}, { ...state, debits: state.debits + 1 }))];
  const decided = chain.isFunded
    ? move({ ...state, debits: state.debits + 1 }, ['settled'])
    : move(state, ['refusedForGood'], { refusal_reason: 'payment' });
  const label = chain.isFunded ? 'debits the account' : 'finds the balance too low';
  const now = decided ?? state;
  if (now.row && paidStates.includes(now.row.state)) return [work(label, to(context, 'deliver', {}, now))];
  return [work(label, respond(context, now.row?.state === 'refused' ? 'not charged' : 'unknown', now))];
}

/** lib/payments/evm/refuse-unsent.ts and lib/ledger/call-moves.ts, `refuseUnlessSent` */
export function refuseUnsent(context: Context): Step<State>[] {
  const { process } = context;
  if (process.known !== 'unused')
    return [work('has learned the outcome', to(context, 'record', { known: process.known }))];
  const refused = refuseUnlessSent(context);
  return [
    refused
      ? work('refuses the call', respond(context, 'not charged', refused))
      : work('cannot refuse the call', to(context, 'record', { known: 'unknown' })),
  ];
}

export function refuseUnlessSent({ state, variant }: Context): State | null {
  const isCarried = state.row?.settlement_id !== null && isOpenTransaction(state);
  if (isCarried && variant.mistake !== 'refuses while a transaction is open') return null;
  return move(state, ['refused'], { refusal_reason: 'payment' });
}

/** Waits for the block of its own charge, or for the process that has the key (lib/payments/evm/queued-charges.ts). */
export function waitForOutcome(context: Context): Step<State>[] {
  const { state, process, variant } = context;
  const { row } = state;
  const steps = [work('waits in vain for the outcome', to(context, 'record', { known: 'unknown' }))];
  if (variant.mistake === 'answers before the payment is settled')
    steps.push(work('answers early', respond(context, 'delivered')));
  if (process.follows || process.failed !== '' || !row || row.state === 'settling') return steps;
  if (paidStates.includes(row.state))
    return [...steps, work('learns that it is paid', to(context, 'deliver'))];
  if (row.state !== 'refused') return steps;
  // Its own transaction may have made the payment of a call that was refused in the meantime.
  return state.chain.payment === 'ours'
    ? [...steps, work('learns that it is paid', to(context, 'deliver'))]
    : [...steps, work('learns that it is refused', respond(context, 'not charged'))];
}

/** lib/calls/charge.ts, `settleAgain`, up to the verification */
export function lookAtChain(context: Context): Step<State>[] {
  const { state, process, variant } = context;
  if (variant.paysFrom === 'account') return debit(context);
  const { chain } = state;
  const found = lookAt(state);
  const isUsable = chain.time === 0 && chain.isFunded;
  const steps = [work(`finds the payment ${found}`, afterLook(context, found, isUsable))];
  return state.limits.lies === 0 ? steps : [...steps, ...lies(context, process.known)];
}

function afterLook(context: Context, found: string, isUsable: boolean, changed = context.state): State {
  const { variant, process } = context;
  const isExpiredHere = variant.mistake === 'trusts its own clock about expiry' && changed.chain.time > 0;
  if (
    found === 'unused' &&
    (isExpiredHere || variant.mistake === 'takes an unused payment for a refused one')
  )
    return to(context, 'record', { known: 'refused' }, changed);
  if (found !== 'unused') return to(context, 'record', { known: found }, changed);
  return isUsable
    ? to(context, 'submit again', { known: process.known }, changed)
    : to(context, 'record', { known: 'unknown' }, changed);
}

/** What nodes can make a process believe, if all that respond tell the same lie. */
function lies(context: Context, known: string): Step<State>[] {
  const { state } = context;
  const { payment, time, ours } = state.chain;
  const lied = { ...state, limits: less(state.limits, 'lies') };
  const isMade = payment === 'ours' || payment === 'other';
  const told = (label: string, next: State): Step<State> => ({ label, kind: 'fault', next });
  if (isMade)
    return time > 0
      ? []
      : [told('is told that the payment is unused', afterLook(context, 'unused', true, lied))];
  const steps = [
    told(
      'is told of a transfer that does not exist',
      to(context, known === '' ? 'record the check' : 'record', { known: 'settled by nobody' }, lied),
    ),
  ];
  if (state.ours !== null && ours !== 'block')
    steps.push(
      told(
        'is told that our transaction made the payment',
        to(context, 'record', { known: 'settled by a lie' }, lied),
      ),
    );
  return steps;
}

/** lib/calls/charge.ts, `isFollowed` and `recordResubmission` */
export function submitAgain(context: Context): Step<State>[] {
  const { state, name, process } = context;
  const { row, key } = state;
  const isFollowed =
    !process.follows &&
    row?.settlement_id === 'ours' &&
    isOpenTransaction(state) &&
    key !== null &&
    key !== name &&
    !isFree(context, key);
  if (isFollowed)
    return [work('finds it followed by another process', to(context, 'record', { known: 'unknown' }))];
  if (process.known !== 'unknown') return [work('may submit again', to(context, 'submit'))];
  const resubmitted = move(state, ['resubmitted']);
  return [
    resubmitted
      ? work('begins to submit again', to(context, 'submit', {}, resubmitted))
      : work('finds that the call has moved', to(context, 'record', { known: 'unknown' })),
  ];
}

/**
 * lib/ledger/call-moves.ts, `recordOutcome` of a settled payment. It does nothing when the transaction is recorded in another block. A
 * lie about the same block is believed (`Weakness`).
 */
export function settledBy({ state, variant }: Pick<Context, 'state' | 'variant'>, known: string): State {
  const isOurs = known === 'settled by ours' || known === 'settled by a lie';
  const by = isOurs ? 'ours' : 'other';
  const isTrusted = variant.weaknesses?.includes(
    'nodes that all lie about a transaction are believed after its failure was recorded',
  );
  if (isOurs && state.ours?.isInVain && !isTrusted) return state;
  const moved = move(state, ['settled', 'settledAfterRefusal']);
  if (!moved?.row) return state;
  const row: Row = { ...moved.row, settlement_id: by, transaction_hash: by };
  const isGone = known === 'settled by nobody' || known === 'settled by a lie';
  if (by === 'other') {
    const found = moveTransaction(moved, 'other', ['foundAgain'], { isGone }) ?? moved;
    const other =
      found.other ?? ({ state: 'confirmed', raw: null, final_at: null, isGone, isInVain: false } as const);
    return { ...found, row, other };
  }
  return { ...(moveTransaction(moved, 'ours', ['returned']) ?? moved), row };
}

/** lib/calls/charge.ts, the end of `charge` */
export function recordOutcome(context: Context): Step<State>[] {
  const { state, process, name, variant } = context;
  const { known } = process;
  if (known.startsWith('settled'))
    return [work('records the payment', to(context, 'deliver', {}, settledBy(context, known)))];
  if (known.startsWith('refused')) {
    const refused = move(state, ['refused'], { refusal_reason: 'payment' }) ?? state;
    return [
      work('records the refusal', respond(context, stillRefused({ ...context, state: refused }), refused)),
    ];
  }
  const unknown = released(move(state, ['outcomeUnknown']) ?? state, name);
  const result =
    variant.mistake === 'says that nothing is charged when it does not know' ? 'not charged' : 'unknown';
  return [work('records that the outcome is unknown', respond(context, result, unknown))];
}
