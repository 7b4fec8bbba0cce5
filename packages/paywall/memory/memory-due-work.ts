import type { DueWork } from '@/lib/ledger/due-work';
import { openRefundStates } from '@/lib/ledger/refund-states';
import { openStates } from '@/lib/ledger/states';
import type { NetworkName } from '@/lib/payments/network-offers';
import type { SettlementWork } from '@/lib/payments/settlers';
import { isOpen } from './memory-charges';
import type { Tables } from './memory-database';
import type { MemoryProcess } from './memory-process';
import type { PaidCallRow } from './memory-rows';

/** The work that the database has for a process. */
type Work = Pick<
  DueWork,
  | 'peers'
  | 'isUnfinished'
  | 'dueJobs'
  | 'hasAbandonedCalls'
  | 'holdsCalls'
  | 'hasSettlementsNotFinal'
  | 'hasRefusalsToClose'
  | 'hasRefundsToCheck'
  | 'on'
>;

/**
 * The twin of `beatAndFindWork` (lib/ledger/due-work.ts).
 * @param jobs when the next tick of each job is due, by the clock of the database
 */
export async function memoryDueWork(
  process: MemoryProcess,
  networks: readonly NetworkName[],
  jobs: ReadonlyMap<string, number>,
): Promise<Work & { readonly databaseMs: number }> {
  const now = process.clock.date();
  const { databaseMs, peers, found } = await process.beatAnd((tables) => {
    const { paidCall, settlementTransaction, refund } = tables;
    const openCalls = paidCall.where(({ state }) => openStates.includes(state));
    const settlements = networks.map((name) => [name, settlementWork(process, tables, name)] as const);
    return {
      dueJobs: [...jobs].flatMap(([name, dueMs]) => (dueMs <= process.database.clock.now() ? [name] : [])),
      hasOpenCalls: openCalls.length > 0,
      hasAbandonedCalls: openCalls.some((call) => isAbandoned(process, tables, call, now)),
      holdsCalls: openCalls.some(({ workedBy }) => workedBy === process.id),
      hasSettlementsNotFinal:
        settlementTransaction.first((row) => row.state === 'confirmed' && row.finalAt === null) !== undefined,
      hasRefusalsToClose: paidCall.first((call) => isRefusalToClose(call, now)) !== undefined,
      hasRefundsToCheck:
        refund.first(({ state, checkAt }) => openRefundStates.includes(state) && checkAt <= now) !==
        undefined,
      settlements: new Map(settlements),
    };
  });
  const { hasOpenCalls, settlements, ...work } = found;
  const isUnfinished = hasOpenCalls || [...settlements.values()].some(({ hasOpen }) => hasOpen);
  const none = { hasQueued: false, hasOpen: false, hasLeftBehind: false, leased: [] };
  return { ...work, databaseMs, peers, isUnfinished, on: (network) => settlements.get(network) ?? none };
}

/** Whether an unfinished call is due, and no live process works on it. */
function isAbandoned(process: MemoryProcess, { instance }: Tables, call: PaidCallRow, now: Date): boolean {
  if (call.attemptAt > now) return false;
  const holder = instance.get(call.workedBy ?? '');
  return !holder || !process.isAlive(holder);
}

/** Whether a refused call may by now be closed, because its authorization has expired. */
function isRefusalToClose({ state, refusalFinalAt, validBefore }: PaidCallRow, now: Date): boolean {
  return state === 'refused' && refusalFinalAt === null && validBefore < now;
}

function settlementWork(
  process: MemoryProcess,
  { paidCall, settlementTransaction, settlementSigner }: Tables,
  network: NetworkName,
): SettlementWork {
  const leftBehind = process.clock.now() - process.timings.evm.leftBehindMs;
  const open = settlementTransaction.where((row) => row.network === network && isOpen(row));
  const leased = settlementSigner.where((row) => row.network === network && row.holder === process.id);
  return {
    hasQueued:
      paidCall.first((row) => row.network === network && row.queuedForSignerAt !== null) !== undefined,
    hasOpen: open.length > 0,
    hasLeftBehind: open.some(({ createdAt }) => createdAt.getTime() < leftBehind),
    leased: leased.map(({ signer }) => signer),
  };
}
