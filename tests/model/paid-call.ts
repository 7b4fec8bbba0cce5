import { openSettlementStates, paidStates } from '@/lib/ledger/states';
import type { Model, Step } from './checker';
import { processSteps } from './process';
import { initial, isBalanced, keyOf, type State } from './state';
import type { Variant } from './step-context';
import { chainSteps, faultSteps, less, operatorSteps } from './world';

/** The model of one paid call: two processes, two requests, one payment, and everything that can happen to them. */
export function paidCall(variant: Variant): Model<State> {
  const isOnChain = variant.paysFrom === 'wallet';
  return {
    initial: initial(variant.limits),
    keyOf,
    stepsFrom(state) {
      const now = { ...state, events: [] };
      const around = isOnChain ? chainSteps(now, variant.payer, variant.expires) : accountSteps(now);
      const operator = variant.fails ? operatorSteps(now) : [];
      return [...processSteps(now, variant), ...around, ...faultSteps(now), ...operator];
    },
    broken,
    isEnd,
  };
}

/** The balance of an account changes by its other calls and deposits. */
function accountSteps(state: State): Step<State>[] {
  const { isFunded } = state.chain;
  if (state.limits.transfers === 0) return [];
  const label = isFunded ? 'the account is spent' : 'the account gets a deposit';
  return [
    {
      label,
      kind: 'client',
      next: {
        ...state,
        limits: less(state.limits, 'transfers'),
        chain: { ...state.chain, isFunded: !isFunded },
      },
    },
  ];
}

/** The promises of docs/reliability.md that this state breaks, by number. */
function broken(state: State): string[] {
  const { row, ours, other, chain, calls, debits, told, isDenied } = state;
  const found: string[] = [];
  if (state.broken !== '') found.push(state.broken);
  if (calls > 1) found.push('1: a signed payment pays for at most one call');
  if (debits > 1) found.push('1: a call is paid once');
  const carrier = row?.settlement_id === 'ours' ? ours : row?.settlement_id === 'other' ? other : null;
  const isPaid = row !== null && paidStates.includes(row.state) && row.state !== 'refunded';
  // Until the ledger has found out that a block is gone, or that there never was one.
  const isFoundOut = !carrier?.isGone && !(carrier && openSettlementStates.includes(carrier.state));
  const isMade = row?.settlement_id ? chain.payment === row.settlement_id : debits === 1;
  if (isPaid && isFoundOut && !isMade) found.push('2: nothing is delivered without a settled payment');
  if (told !== null && row?.answer !== told)
    found.push('2: an answer is stored with a paid call before it is sent');
  if (!isBalanced(state)) found.push('4: the books say what the state says');
  if (isDenied && !state.isDisturbed && (chain.payment === 'ours' || debits > 0))
    found.push('7: a 402 means that nothing was charged');
  return found;
}

/** Nothing is left to do, or only something for the operator, and ledger and chain agree. */
function isEnd(state: State): boolean {
  const { row, ours, other, chain, processes } = state;
  const isIdle = Object.values(processes).every(
    ({ at, follows, failed }) => at === 'idle' && !follows && failed === '',
  );
  if (!isIdle) return false;
  if (!row) return true;
  const isEnded = (transaction: State['ours']) =>
    transaction === null ||
    transaction.final_at !== null ||
    ['replaced', 'vanished'].includes(transaction.state);
  if (!isEnded(ours) || !isEnded(other)) return false;
  if (row.state === 'refunded') return true;
  if (row.state === 'refused') return row.refusal_final_at !== null && chain.payment !== 'ours';
  const isPaid = ['delivered', 'kept', 'needs_attention'].includes(row.state);
  return isPaid && (row.settlement_id === null || chain.payment === row.settlement_id);
}
