import { openSettlementStates } from '@/lib/ledger/states';
import type { Step } from './checker';
import {
  type Answer,
  type Holder,
  type Limits,
  noWork,
  type Process,
  type ProcessName,
  type State,
} from './state';
import type { Expiry, PayerAct } from './world';

/** What is varied between explorations. */
export interface Variant {
  /** Whether something is prepared before the charge (`isPrepared` of a service). */
  readonly prepares: boolean;
  readonly paysFrom: 'wallet' | 'account';
  /** Who sends the second request: the owner again, or somebody who has copied the payment and has neither key nor token. */
  readonly second: 'owner' | 'stranger';
  /** Whether deliveries may fail, and operators refund. */
  readonly fails: boolean;
  readonly payer: readonly PayerAct[];
  readonly expires: Expiry;
  readonly limits: Limits;
  readonly mistake?: Mistake;
  /** Weaknesses of the product that the model has too. Without them it does what would be right. */
  readonly weaknesses?: readonly Weakness[];
}

/** Steps of the product that break a promise. The model shows how. */
export type Weakness = 'nodes that all lie about a transaction are believed after its failure was recorded';

/** Deliberate mistakes, each of which the checker must find. */
export type Mistake =
  | 'answers before the payment is settled'
  | 'says that nothing is charged when it does not know'
  | 'sends while another process has the key'
  | 'debits without looking at the state'
  | 'trusts its own clock about expiry'
  | 'takes an unused payment for a refused one'
  | 'refuses while a transaction is open'
  | 'claims without a unique key'
  | 'shows the stored answer to anybody'
  | 'shows the stored answer of a final refusal to anybody'
  | 'answers a refusal that another process has reopened'
  | 'ignores removed blocks'
  | 'leaves unknown outcomes alone'
  | 'answers again with what it made itself';

/** The result of a request, as its sender is told. */
export type Result = Answer | 'not charged' | 'unknown' | 'used' | 'pending' | 'attention' | 'refunded';

export interface Context {
  readonly state: State;
  readonly name: ProcessName;
  readonly process: Process;
  readonly variant: Variant;
}

/** The state in which the process has come to another step. */
export function to(
  { state, name, process }: Context,
  at: string,
  more: Partial<Process> = {},
  changed = state,
): State {
  const moved = { ...changed.processes[name], request: process.request, known: '', ...more, at };
  return { ...changed, processes: { ...changed.processes, [name]: moved } };
}

export const work = (label: string, next: State): Step<State> => ({ label, kind: 'work', next });

export const isStranger = ({ process, variant }: Context) =>
  process.request === 2 && variant.second === 'stranger';

/** Whether no live process has it, as far as this one can tell. */
export function isFree({ state, name }: Context, holder: Holder | null): boolean {
  if (holder === null) return true;
  return holder !== 'dead' && holder !== name && state.processes[holder].isSilent;
}

export const isOpenTransaction = ({ ours }: State) =>
  ours !== null && openSettlementStates.includes(ours.state);

/**
 * The result is sent, unless nobody waits for it (lib/http/respond-result.ts). Deciding on it and sending it are one step here: a
 * process that is killed in between has sent nothing, as one that is killed before.
 */
export function respond(context: Context, result: Result, changed = context.state): State {
  const { name, process } = context;
  const rested = { ...changed, processes: { ...changed.processes, [name]: noWork(changed.processes[name]) } };
  if (process.request === 0) return rested;
  if (result === 'not charged') return { ...rested, isDenied: true };
  if (result !== 'delivered' && result !== 'kept') return rested;
  if (isStranger(context)) return { ...rested, broken: '10: nobody but its owner gets the answer' };
  const isOther = changed.told !== null && changed.told !== result;
  return {
    ...rested,
    told: result,
    broken: isOther ? '9: a repeated request gets the same answer' : changed.broken,
  };
}

/** lib/calls/advance-call.ts, `advance`, of a call that this process has taken over */
export function advance(context: Context, taken: State): State {
  const { answer = null, state = 'claimed' } = taken.row ?? {};
  const read = withInput(taken);
  if (state === 'claimed') return to(context, 'prepare', { answer }, read);
  if (state === 'settled') return to(context, 'deliver', { answer }, read);
  return to(context, 'look at the chain', { known: state, answer }, taken);
}

/**
 * Erased input can neither be prepared nor delivered. A process reads it when it takes the call. A call that is paid by nothing but a
 * lie may be one whose refusal is final.
 */
export function withInput(state: State): State {
  const { row, chain } = state;
  if (row?.input !== null || row.answer !== null) return state;
  if (row.state === 'settled' && row.settlement_id !== null && row.settlement_id !== chain.payment)
    return state;
  return { ...state, broken: 'the input of a call is kept until it ends' };
}

/** lib/payments/evm/resolve-outcome.ts, with nodes that all tell the truth */
export function lookAt({ chain }: State): string {
  const { payment, isFinal, time } = chain;
  if (payment === 'ours' || payment === 'other') return `settled by ${payment}`;
  if (payment === 'canceled') return isFinal ? 'refused' : 'refused for now';
  return time === 3 ? 'refused' : 'unused';
}

/** lib/ledger/unfinished-calls.ts, `postpone` */
export const released = (state: State, name: ProcessName): State =>
  state.row?.worked_by === name ? { ...state, row: { ...state.row, worked_by: null } } : state;

/** lib/calls/refusal.ts, `unlessReopened`: another process may have reopened the call since this one has read it. */
export function stillRefused({ state, variant }: Context): Result {
  const isAsRead = variant.mistake === 'answers a refusal that another process has reopened';
  return isAsRead || state.row?.state === 'refused' ? 'not charged' : 'unknown';
}
