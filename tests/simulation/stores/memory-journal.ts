import type { SettlementJournal } from '@/lib/payments/journal';
import type { NetworkName } from '@/lib/payments/networks';
import type { SettlementWork } from '@/lib/payments/payment';
import { isOpen } from './memory-charges';
import { memoryGasRecord } from './memory-gas';
import { memoryLeases } from './memory-leases';
import { memoryOutbox } from './memory-outbox';
import { memoryPreconfirmations } from './memory-preconfirmations';
import type { MemoryProcess } from './memory-process';
import { memoryQueue } from './memory-queue';

/** The settlement journal of one process, in memory. The same cases run against it and the ledger (journal-cases.ts). */
export function memoryJournal(process: MemoryProcess): SettlementJournal {
  return {
    outbox: memoryOutbox(process),
    leases: memoryLeases(process),
    gas: memoryGasRecord(process),
    queue: memoryQueue(process),
    preconfirmations: memoryPreconfirmations(process),
  };
}

/** The work that the database has for the senders of a process, as its heartbeat learns it (lib/ledger/due-work.ts). */
export function memorySettlementWork(process: MemoryProcess, network: NetworkName): Promise<SettlementWork> {
  const leftBehind = process.clock.now() - process.timings.evm.leftBehindMs;
  return process.query(({ paidCall, settlementTransaction, settlementSigner }) => {
    const open = settlementTransaction.where((row) => row.network === network && isOpen(row));
    const leased = settlementSigner.where((row) => row.network === network && row.holder === process.id);
    return {
      hasQueued:
        paidCall.first((row) => row.network === network && row.queuedForSignerAt !== null) !== undefined,
      hasOpen: open.length > 0,
      hasLeftBehind: open.some(({ createdAt }) => createdAt.getTime() < leftBehind),
      leased: leased.map(({ signer }) => signer),
    };
  });
}
