import { isSolanaName } from '@/lib/payments/network-offers';
import { receiptKeyOf } from '@/lib/payments/receipts/receipt-keys';
import { orderedToken, randomToken } from '@/lib/platform/ids';
import { memoryCalls } from './memory/memory-calls';
import { MemoryDatabase } from './memory/memory-database';
import { memoryDueWork } from './memory/memory-due-work';
import { eraseEnded } from './memory/memory-erasure';
import { memoryFinality } from './memory/memory-finality';
import { memoryJournal } from './memory/memory-journal';
import { MemoryProcess } from './memory/memory-process';
import type { OpenableStore } from './store';

/**
 * Keeps everything in the memory of this process for a day, so a call that is paid when the process ends is lost. For trying out
 * and for tests.
 */
export function memoryStore(): OpenableStore {
  return {
    kind: 'memory',
    open(parts) {
      const { clock, timings, networks } = parts;
      const newId = (prefix: string) => `${prefix}_${orderedToken(clock.date())}`;
      const database = new MemoryDatabase(clock, () => undefined, newId);
      const settles = networks.filter((name) => !isSolanaName(name));
      const process = new MemoryProcess(database, clock, { id: randomToken(), settles, timings });
      const { id, privateKey, publicKey, createdAt } = receiptKeyOf(parts);
      return {
        calls: memoryCalls(process),
        journal: memoryJournal(process),
        finality: memoryFinality(process),
        receiptKeys: {
          open: async () => ({ id, privateKey }),
          published: async () => [{ id, publicKey: Buffer.from(publicKey), createdAt }],
        },
        instance: { countPeers: () => undefined, hasPeers: () => process.hasPeers() },
        start: async () => void (await process.beat()),
        erase: (now) => eraseEnded(process, now),
        findWork: () => memoryDueWork(process, networks, new Map()),
        close: () => process.withdraw(),
      };
    },
  };
}
