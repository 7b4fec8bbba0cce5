import type { SettlementJournal } from '@/lib/payments/journal';
import { memoryGasRecord } from './memory-gas';
import { memoryLeases } from './memory-leases';
import { memoryOutbox } from './memory-outbox';
import type { MemoryProcess } from './memory-process';
import { memoryQueue } from './memory-queue';

/** The settlement journal of one process, in memory. The same cases run against it and the ledger (journal-cases.ts). */
export function memoryJournal(process: MemoryProcess): SettlementJournal {
  return {
    outbox: memoryOutbox(process),
    leases: memoryLeases(process),
    gas: memoryGasRecord(process),
    queue: memoryQueue(process),
  };
}
