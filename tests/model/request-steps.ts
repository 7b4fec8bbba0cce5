import type { Step } from './checker';
import { move, type Row, type State } from './state';
import { advance, type Context, isFree, isStranger, type Result, respond, to, work } from './step-context';

/** What a process does for a request until its payment is charged. */

/** lib/calls/preparation.ts, `canRestart` */
const canRestart = (row: Row) => row.state === 'refused' && row.refusal_reason === 'preparation';

/** lib/calls/answer-retry.ts, `findReplay` and `answerRetry`, and lib/calls/replay.ts, `recognizeReplay` */
export function lookUp(context: Context): Step<State>[] {
  const { state, process, variant } = context;
  const { row } = state;
  if (!row) return [work('finds no call', to(context, 'verify'))];
  if (canRestart(row) && process.known !== 'owner')
    return [work('finds a call to restart', to(context, 'verify', { known: 'again' }))];
  const showsAll = variant.mistake === 'shows the stored answer to anybody';
  if (isStranger(context) && row.refusal_final_at === null && !showsAll) {
    return row.state === 'refused'
      ? [work('finds a refusal', to(context, 'check the refusal', { known: 'unproven' }))]
      : [work('finds the call of somebody else', respond(context, 'used'))];
  }
  const showsFinal = variant.mistake === 'shows the stored answer of a final refusal to anybody';
  if (isStranger(context) && row.answer && !showsAll && !showsFinal)
    return [work('finds the call of somebody else', respond(context, 'used'))];
  if (row.answer)
    return [work('finds the answer', respond(context, row.state === 'refunded' ? 'refunded' : row.answer))];
  if (row.state === 'refunded') return [work('finds a refund', respond(context, 'refunded'))];
  if (row.state === 'needs_attention')
    return [work('finds a call that needs attention', respond(context, 'attention'))];
  if (row.state === 'refused')
    return row.refusal_final_at
      ? [work('finds a final refusal', respond(context, 'not charged'))]
      : [work('finds a refusal', to(context, 'check the refusal', { known: 'proven' }))];
  if (!isFree(context, row.worked_by))
    return [work('waits in vain for another process', respond(context, 'unknown'))];
  const taken = { ...state, row: { ...row, worked_by: context.name } };
  return [work('takes the call over', advance(context, taken))];
}

/** lib/calls/admission.ts, `admit`, with lib/payments/evm/payment-simulator.ts */
export function verify(context: Context): Step<State>[] {
  const { chain } = context.state;
  const { known } = context.process;
  const isValid = chain.payment === 'unused' && chain.time === 0 && chain.isFunded;
  if (isValid) return [work('verifies the payment', to(context, 'claim', { known }))];
  const reason = chain.payment === 'unused' ? 'invalid' : 'used';
  return [work('finds the payment not valid', to(context, 'look for a winner', { known: reason }))];
}

/** lib/calls/admission.ts, `reject`: an identical request that was faster may explain why the payment is not valid. */
export function lookForWinner(context: Context): Step<State>[] {
  const { state, process } = context;
  if (state.row && !canRestart(state.row)) return lookUp(context);
  return process.known === 'used'
    ? [work('finds no faster request', to(context, 'look for an earlier use'))]
    : [work('rejects the payment', respond(context, 'not charged'))];
}

/** lib/calls/admission.ts, `refuseIfUsedBefore` */
export function lookForUse(context: Context): Step<State>[] {
  const isUsed = context.state.chain.payment === 'ours' || context.state.chain.payment === 'other';
  return [work('looks for an earlier use', respond(context, isUsed ? 'used' : 'not charged'))];
}

/** lib/ledger/claim.ts */
export function claim(context: Context): Step<State>[] {
  const { state, name, process, variant } = context;
  if (process.known === 'again') {
    const given = { worked_by: name, input: 'kept' } as const;
    const restarted = move(state, ['restarted'], given);
    return restarted
      ? [work('restarts the call', to(context, 'prepare', {}, { ...restarted, isDenied: false }))]
      : [work('cannot restart the call', to(context, 'look up', { known: 'owner' }))];
  }
  if (state.row && variant.mistake !== 'claims without a unique key')
    return [work('finds the payment claimed', to(context, 'look up', { known: 'owner' }))];
  const row: Row = {
    state: variant.prepares ? 'claimed' : 'settling',
    worked_by: name,
    refusal_reason: null,
    refusal_final_at: null,
    settlement_id: null,
    transaction_hash: null,
    input: 'kept',
    prepared: null,
    answer: null,
  };
  const claimed = { ...state, row, calls: state.calls + 1, isDenied: false };
  return [work('claims the call', to(context, variant.prepares ? 'prepare' : 'submit', {}, claimed))];
}

/** lib/calls/preparation.ts, `prepare` */
export function prepare(context: Context): Step<State>[] {
  const { state, variant } = context;
  const prepared = move(state, ['prepared'], { prepared: variant.prepares ? 'kept' : null });
  const steps = [
    prepared
      ? work('prepares the call', to(context, 'submit', {}, prepared))
      : work('finds that the call has moved', respond(context, resultOfMoved(state))),
  ];
  if (!variant.prepares) return steps;
  const failed = move(state, ['unprepared', 'unpreparedAgain'], { refusal_reason: 'preparation' });
  if (failed) steps.push(work('cannot prepare the call', respond(context, 'not charged', failed)));
  return steps;
}

/** lib/calls/preparation.ts, `movedByAnother` */
const resultOfMoved = ({ row }: State): Result =>
  row?.state === 'refused' && row.refusal_final_at ? 'not charged' : 'unknown';
