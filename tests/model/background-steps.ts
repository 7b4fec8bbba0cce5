import { refuseUnlessSent, settledBy, sign } from './charge-steps';
import type { Step } from './checker';
import { move, moveTransaction, type Process, type ProcessName, type State } from './state';
import { type Context, isFree, isOpenTransaction, lookAt, work } from './step-context';
import { less } from './world';

/** What a process does beside requests. */

/** lib/payments/evm/pending-transactions.ts and failed-charges.ts: what goes on beside requests. */
export function background(context: Context): Step<State>[] {
  const { process } = context;
  if (process.failed !== '') return [handleFailure(context)];
  return process.follows ? followTransaction(context) : [];
}

/** The process after its work beside requests. */
function beside({ state, name }: Context, more: Partial<Process>, changed = state): State {
  return { ...changed, processes: { ...changed.processes, [name]: { ...changed.processes[name], ...more } } };
}

/** The key is free once nothing is open. */
const withoutKey = (state: State, name: ProcessName): State =>
  state.key === name ? { ...state, key: null } : state;

function followTransaction(context: Context): Step<State>[] {
  const { state, name } = context;
  const { chain, row } = state;
  switch (chain.ours) {
    case 'nowhere':
      return [
        work('broadcasts the transaction', {
          ...state,
          chain: { ...chain, ours: 'mempool', isPublic: true },
        }),
      ];
    case 'block': {
      // lib/ledger/mined-transactions.ts, `updateMined`
      const mined = moveTransaction(state, 'ours', ['mined'], { isGone: false, isInVain: false }) ?? state;
      const settled = move(mined, ['settled', 'settledAfterRefusal']);
      const paid = settled?.row
        ? {
            ...settled,
            row: { ...settled.row, settlement_id: 'ours' as const, transaction_hash: 'ours' as const },
          }
        : mined;
      return [work('records the block', beside(context, { follows: false }, withoutKey(paid, name)))];
    }
    case 'failed': {
      // `updateMinedWithFailures`
      const mined = moveTransaction(state, 'ours', ['mined'], { isGone: false, isInVain: true });
      const isOfOurs = mined !== null && row?.settlement_id === 'ours';
      const undone = (isOfOurs ? move(mined, ['undone']) : null) ?? mined ?? state;
      return [
        work(
          'records the failure',
          beside(context, { follows: false, failed: 'look' }, withoutKey(undone, name)),
        ),
      ];
    }
    case 'replaced': {
      // lib/ledger/settlement-transactions.ts, `dropTransactions`
      const dropped = moveTransaction(state, 'ours', ['dropped']);
      const isOfOurs = dropped !== null && row?.settlement_id === 'ours';
      const undone = (isOfOurs ? move(dropped, ['undone']) : null) ?? dropped ?? state;
      return [
        work('gives the transaction up', beside(context, { follows: false }, withoutKey(undone, name))),
      ];
    }
    default:
      return [];
  }
}

/** lib/payments/evm/failed-charges.ts, `#resolveOne` */
function handleFailure(context: Context): Step<State> {
  const { state, name, process } = context;
  const { chain } = state;
  if (process.failed === 'look') {
    const found = lookAt(state);
    const isValid = chain.time === 0 && chain.isFunded;
    const next = found === 'unused' ? (isValid ? 'again' : 'refuse') : found;
    return work('looks at the failed payment', beside(context, { failed: next }));
  }
  if (process.failed === 'again') {
    const mayHaveKey = state.key === name || isFree(context, state.key);
    const isPossible = mayHaveKey && !isOpenTransaction(state) && chain.payment !== 'ours';
    const sent = isPossible ? sign(context) : null;
    return work(
      'sends the failed payment again',
      beside(context, { failed: '', follows: sent !== null }, sent ?? state),
    );
  }
  if (process.failed === 'refuse') {
    const refused = refuseUnlessSent(context) ?? state;
    return work('refuses the failed payment', beside(context, { failed: '' }, refused));
  }
  const recorded = process.failed.startsWith('settled')
    ? settledBy(context, process.failed)
    : (move(state, ['refused'], { refusal_reason: 'payment' }) ?? state);
  return work('records the outcome of the failed payment', beside(context, { failed: '' }, recorded));
}

/** lib/payments/evm/evm-sender.ts, `maintain` */
export function adopt(context: Context): Step<State>[] {
  const { state, name, process } = context;
  const isPossible = isOpenTransaction(state) && !process.follows && process.failed === '';
  if (!isPossible || !(state.key === name || isFree(context, state.key))) return [];
  return [work('follows the open transaction', beside(context, { follows: true }, { ...state, key: name }))];
}

/** lib/jobs/finality-checks.ts, `checkFinality` */
export function checkFinality(context: Context): Step<State>[] {
  return [...checkOurs(context), ...checkOther(context)];
}

function checkOurs({ state, variant }: Context): Step<State>[] {
  const { ours, chain, row, limits } = state;
  if (ours?.state !== 'confirmed' || ours.final_at) return [];
  const isThere = !ours.isGone && (chain.ours === 'block' || chain.ours === 'failed');
  const isFinal = chain.ours === 'block' ? chain.isFinal : chain.isFailureFinal;
  const ended: State = { ...state, ours: { ...ours, final_at: 'set', raw: null } };
  if (isThere && isFinal) return [work('records that the block is final', ended)];
  if (isThere && limits.lies === 0) return [];
  if (!isThere && variant.mistake === 'ignores removed blocks') return [];
  const removed = moveTransaction(state, 'ours', ['reorganized'], { isGone: false });
  if (!removed) return [];
  const undone = (row?.settlement_id === 'ours' ? move(removed, ['undone']) : null) ?? removed;
  if (!isThere) return [work('records that the block is gone', undone)];
  return [
    {
      label: 'is told that the block is gone',
      kind: 'fault',
      next: { ...undone, limits: less(limits, 'lies') },
    },
  ];
}

function checkOther({ state, variant }: Context): Step<State>[] {
  const { other, chain, row } = state;
  if (other?.state !== 'confirmed' || other.final_at) return [];
  const isThere = !other.isGone && chain.payment === 'other';
  if (isThere)
    return chain.isFinal
      ? [work('records that its block is final', { ...state, other: { ...other, final_at: 'set' } })]
      : [];
  if (variant.mistake === 'ignores removed blocks') return [];
  const vanished = moveTransaction(state, 'other', ['vanished'], { isGone: false });
  if (!vanished) return [];
  const undone = (row?.settlement_id === 'other' ? move(vanished, ['undone']) : null) ?? vanished;
  return [work('records that its block is gone', undone)];
}
