import { settledBy } from './charge-steps';
import type { Step } from './checker';
import { type Answer, move, type State } from './state';
import {
  type Context,
  isFree,
  lookAt,
  released,
  respond,
  stillRefused,
  to,
  withInput,
  work,
} from './step-context';

/** How a call ends: it is delivered, or its refusal is checked. */

/** lib/calls/deliver.ts, `deliver` */
export function deliver(context: Context): Step<State>[] {
  const { state, name, process } = context;
  if (process.answer)
    return [work('has the answer already', to(context, 'store', { known: process.answer }))];
  const made = (answer: Answer) => to(context, 'store', { known: answer });
  const isOurs = state.row?.state === 'settled';
  const later = respond(context, 'pending', released(state, name));
  const attention = move(state, ['needsAttention']) ?? state;
  const delivered = work('delivers', made('delivered'));
  if (!context.variant.fails) return [delivered];
  return [
    delivered,
    work('is told by the provider that it fails', made('kept')),
    ...(isOurs ? [{ label: 'cannot deliver yet', kind: 'fault' as const, next: later }] : []),
    { label: 'can never deliver', kind: 'fault', next: respond(context, 'attention', attention) },
  ];
}

/** lib/calls/deliver.ts, `conclude` and `endedByAnother` */
export function store(context: Context): Step<State>[] {
  const { state, name, process } = context;
  const answer: Answer = process.known === 'kept' ? 'kept' : 'delivered';
  const stored = move(state, [answer], { answer });
  if (stored) return [work('stores the answer', respond(context, answer, stored))];
  const { row } = state;
  if (context.variant.mistake === 'answers again with what it made itself')
    return [work('answers', respond(context, answer))];
  if (!row?.answer)
    return [work('finds that the call has moved', respond(context, 'pending', released(state, name)))];
  const result = row.state === 'refunded' ? 'refunded' : row.answer;
  return [work('finds the answer of another process', respond(context, result))];
}

/** lib/calls/refusal.ts, `checkRefusal`: what the chain says */
export function checkRefusal(context: Context): Step<State>[] {
  const { state, process } = context;
  const found = lookAt(state);
  return [
    work(
      `finds the refused payment ${found}`,
      to(context, 'record the check', { known: `${process.known}: ${found}` }),
    ),
  ];
}

/** lib/calls/refusal.ts, `checkRefusal`, and its callers `checkRefusalAgain`, `answerUnproven` and `closeRefusals` */
export function recordCheck(context: Context): Step<State>[] {
  const { state, process } = context;
  const [asks = '', found = ''] = process.known.split(': ');
  if (found.startsWith('settled')) {
    const settled = settledBy(context, found);
    const next =
      asks === 'proven' ? to(context, 'take the paid call', {}, settled) : respond(context, 'used', settled);
    return [work('records that the refused payment is made', next)];
  }
  if (found === 'refused') {
    const { row } = state;
    const isOpen = row?.state === 'refused' && row.refusal_final_at === null;
    // lib/ledger/finality-record.ts, `recordRefusalFinal`
    const closed: State = isOpen
      ? { ...state, row: { ...row, refusal_final_at: 'set', input: null, prepared: null } }
      : state;
    return [
      work(
        'records that the refusal is final',
        respond(context, stillRefused({ ...context, state: closed }), closed),
      ),
    ];
  }
  if (found === 'unused' && asks === 'proven') return [work('may reopen the call', to(context, 'reopen'))];
  return [work('leaves the refusal open', respond(context, stillRefused(context)))];
}

/** lib/calls/advance-call.ts, `checkRefusalAgain` of a paid call */
export function takePaid(context: Context): Step<State>[] {
  const { state, name } = context;
  const { row } = state;
  if (row?.state !== 'settled' || !isFree(context, row.worked_by))
    return [work('leaves the delivery to another process', respond(context, 'pending'))];
  const taken = { ...state, row: { ...row, worked_by: name } };
  return [work('takes the paid call over', to(context, 'deliver', { answer: row.answer }, withInput(taken)))];
}

/** lib/calls/refusal.ts, `reopen`, up to the verification */
export function reopen(context: Context): Step<State>[] {
  const { payment, time, isFunded } = context.state.chain;
  if (time > 0 || (payment === 'unused' && !isFunded))
    return [work('cannot charge the refused payment', respond(context, stillRefused(context)))];
  if (payment !== 'unused') return [work('finds the refused payment used', respond(context, 'unknown'))];
  return [work('verifies the refused payment', to(context, 'record the reopening'))];
}

/** lib/ledger/call-moves.ts, `recordReopened` */
export function recordReopening(context: Context): Step<State>[] {
  const { state, name } = context;
  const reopened = move(state, ['reopened'], { worked_by: name });
  if (!reopened) return [work('finds that the call has moved', respond(context, 'unknown'))];
  return [
    work(
      'reopens the call',
      to(context, 'prepare', { answer: null }, { ...withInput(reopened), isDenied: false }),
    ),
  ];
}
