import type { Step } from './checker';
import { type Chain, type Limits, move, noWork, type ProcessName, processNames, type State } from './state';

/** What happens around the processes: the chain, the payer, faults, and an operator. */

const withChain = (state: State, chain: Partial<Chain>): State => ({
  ...state,
  chain: { ...state.chain, ...chain },
});

/** What the payer does with the payment besides sending it with requests. */
export type PayerAct = 'submits' | 'cancels';

/** Whether our clocks, the head of the chain and its final blocks pass the expiry one after the other. */
export type Expiry = 'in steps' | 'at once' | 'never';

/** One chance less that something happens. */
export const less = (limits: Limits, what: keyof Limits): Limits => ({ ...limits, [what]: limits[what] - 1 });

/** A chain that includes, ends and removes blocks, and a payer who has the payment's signature too. */
export function chainSteps(state: State, acts: readonly PayerAct[], expires: Expiry): Step<State>[] {
  const { chain } = state;
  const { payment, time, isFunded } = chain;
  const steps: Step<State>[] = [];
  const isUsable = payment === 'unused' && time <= 1;
  const mayBeFinal = !isHoldingLookUp(state);
  const isLast = expires === 'at once' || time === 2;
  if (time < 3 && expires !== 'never' && (mayBeFinal || !isLast)) {
    const next = expires === 'at once' ? 3 : nextTimes[time];
    const isFinal = next === 3 ? payment !== 'unused' : chain.isFinal;
    const label =
      next === 3
        ? 'a final block passes its expiry'
        : `${next === 1 ? 'our clocks pass' : 'the chain passes'} its expiry`;
    steps.push({ label, kind: 'world', next: withChain(state, { time: next, isFinal }) });
  }
  if (chain.ours === 'mempool') {
    const included: Partial<Chain> =
      isUsable && isFunded
        ? { ours: 'block', payment: 'ours', isFinal: false }
        : { ours: 'failed', isFailureFinal: false };
    const label =
      included.ours === 'block' ? 'a block makes the payment' : 'our transaction fails in a block';
    steps.push({ label, kind: 'world', next: withChain(state, included) });
    steps.push({
      label: 'nodes forget our transaction',
      kind: 'fault',
      next: withChain(state, { ours: 'nowhere' }),
    });
  }
  if (payment !== 'unused' && !chain.isFinal && mayBeFinal)
    steps.push({
      label: 'the block with the payment is final',
      kind: 'world',
      next: withChain(state, { isFinal: true }),
    });
  if (chain.ours === 'failed' && !chain.isFailureFinal && mayBeFinal)
    steps.push({
      label: 'the block with the failure is final',
      kind: 'world',
      next: withChain(state, { isFailureFinal: true }),
    });
  if (isUsable && isFunded && acts.includes('submits'))
    steps.push({
      label: 'the payer submits the payment',
      kind: 'client',
      next: withChain(state, { payment: 'other', isFinal: false, isPublic: true }),
    });
  if (isUsable && acts.includes('cancels'))
    steps.push({
      label: 'the payer cancels the payment',
      kind: 'client',
      next: withChain(state, { payment: 'canceled', isFinal: false }),
    });
  if (time <= 1 && state.limits.transfers > 0) {
    const label = isFunded ? 'the payer spends the money' : 'the payer gets money';
    steps.push({
      label,
      kind: 'client',
      next: { ...withChain(state, { isFunded: !isFunded }), limits: less(state.limits, 'transfers') },
    });
  }
  return [...steps, ...reorganizations(state)];
}

/**
 * Whether a process has asked the chain and not yet recorded the answer. That takes seconds, and finality takes minutes, so no block
 * becomes final meanwhile.
 */
function isHoldingLookUp({ processes }: State): boolean {
  const after = [
    'record',
    'record the check',
    'submit again',
    'refuse unsent',
    'reopen',
    'record the reopening',
  ];
  return Object.values(processes).some(
    ({ at, failed }) => after.includes(at) || !['', 'look'].includes(failed),
  );
}

const nextTimes = [1, 2, 3, 3] as const;

/** Blocks that are not final are removed. What was in them is pending again, or lost. */
function reorganizations(state: State): Step<State>[] {
  const { chain, ours, other } = state;
  const removesPayment = chain.payment !== 'unused' && !chain.isFinal;
  const removesFailure = chain.ours === 'failed' && !chain.isFailureFinal;
  if (state.limits.reorganizations === 0 || !(removesPayment || removesFailure)) return [];
  const removed: State = {
    ...withChain(state, {
      payment: removesPayment ? 'unused' : chain.payment,
      time: chain.time === 2 ? 1 : chain.time,
    }),
    limits: less(state.limits, 'reorganizations'),
    ours: ours?.state === 'confirmed' && !ours.final_at ? { ...ours, isGone: true } : ours,
    other: other?.state === 'confirmed' && !other.final_at ? { ...other, isGone: true } : other,
    isDisturbed: state.isDisturbed || removesFailure || chain.payment === 'canceled',
  };
  const isOurs = removesFailure || (removesPayment && chain.payment === 'ours');
  const returned = (where: Chain['ours']) => withChain(removed, { ours: where });
  if (!isOurs) return [{ label: 'a reorganization removes the payment', kind: 'fault', next: removed }];
  return [
    {
      label: 'a reorganization makes our transaction pending again',
      kind: 'fault',
      next: returned('mempool'),
    },
    { label: 'a reorganization loses our transaction', kind: 'fault', next: returned('nowhere') },
  ];
}

/** Processes are killed at any step, and seem dead to others. */
export function faultSteps(state: State): Step<State>[] {
  const steps = processNames.flatMap((name): Step<State>[] => {
    const process = state.processes[name];
    const other = state.processes[name === 'A' ? 'B' : 'A'];
    const isBusy = process.at !== 'idle' || process.follows || process.failed !== '';
    const found: Step<State>[] = [];
    if (isBusy) found.push({ label: `${name} is killed`, kind: 'fault', next: killed(state, name) });
    if (!process.isSilent && !other.isSilent && isBusy && state.limits.silences > 0) {
      const silent = { ...withSilence(state, name, true), limits: less(state.limits, 'silences') };
      found.push({ label: `${name} seems dead`, kind: 'fault', next: silent });
    }
    if (process.isSilent)
      found.push({ label: `${name} is heard again`, kind: 'world', next: withSilence(state, name, false) });
    return found;
  });
  const isDead = state.row?.worked_by === 'dead' || state.key === 'dead';
  if (isDead)
    steps.push({
      label: 'the heartbeat of the killed process runs out',
      kind: 'world',
      next: withoutDead(state),
    });
  return steps;
}

const withSilence = (state: State, name: ProcessName, isSilent: boolean): State => ({
  ...state,
  processes: { ...state.processes, [name]: { ...state.processes[name], isSilent } },
});

/** A new process is there at once. In the ledger, the old one seems alive until its heartbeat runs out. */
function killed(state: State, name: ProcessName): State {
  const { row, key, processes } = state;
  const process = { ...noWork(processes[name]), follows: false, failed: '', isSilent: false };
  return {
    ...state,
    row: row?.worked_by === name ? { ...row, worked_by: 'dead' } : row,
    key: key === name ? 'dead' : key,
    processes: { ...processes, [name]: process },
  };
}

function withoutDead(state: State): State {
  const { row, key } = state;
  return {
    ...state,
    row: row?.worked_by === 'dead' ? { ...row, worked_by: null } : row,
    key: key === 'dead' ? null : key,
  };
}

/** An operator refunds what needs attention or was answered (lib/operator, lib/ledger/refund-records.ts). */
export function operatorSteps(state: State): Step<State>[] {
  const refunded = move(state, ['refunded']);
  return refunded ? [{ label: 'an operator refunds the call', kind: 'client', next: refunded }] : [];
}
