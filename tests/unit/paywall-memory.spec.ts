import { dayMs } from '@/lib/platform/durations';
import { productionTimings } from '@/lib/platform/timings';
import { MemoryDatabase } from '@/packages/paywall/memory/memory-database';
import { eraseEnded } from '@/packages/paywall/memory/memory-erasure';
import { MemoryProcess } from '@/packages/paywall/memory/memory-process';
import { newCall, newSettlement } from '../simulation/stores/journal-rows';
import { worldTime } from '../simulation/stores/journal-world';
import { VirtualTime } from '../simulation/virtual-clock';
import { expect, test } from '../support/without-browser';

test('the store in memory keeps what ended within a day, and what is not delivered', async () => {
  const clock = new VirtualTime({ startMs: worldTime.getTime() }).createClock();
  const database = new MemoryDatabase(clock);
  const process = new MemoryProcess(database, clock, { id: 'one', settles: [], timings: productionTimings });
  const { paidCall, paidCallMove, posting, settlementTransaction } = database.tables;
  const put = (id: string, states: readonly ('settled' | 'delivered' | 'refused')[], final: boolean) =>
    process.query(() => {
      const at = final ? worldTime : null;
      settlementTransaction.insert(newSettlement(id));
      const row = settlementTransaction.first(({ hash }) => hash === id);
      if (row) settlementTransaction.update(row, { state: 'confirmed', confirmedAt: worldTime, finalAt: at });
      paidCall.insert(newCall(id));
      for (const state of states) {
        const call = paidCall.get(id);
        if (call) paidCall.update(call, { state, settlementId: `id of ${id}`, refusalFinalAt: at });
      }
    });
  await put('delivered', ['settled', 'delivered'], true);
  await put('refused', ['refused'], true);
  await put('not final', ['settled', 'delivered'], false);
  await put('may be paid yet', ['refused'], false);
  await put('not delivered', ['settled'], true);

  await eraseEnded(process, new Date(worldTime.getTime() + dayMs - 120_000));
  expect(paidCall.size).toBe(5);
  await eraseEnded(process, new Date(worldTime.getTime() + dayMs));
  const kept = ['not final', 'may be paid yet', 'not delivered'];
  expect(paidCall.all().map(({ id }) => id)).toEqual(kept);
  expect(settlementTransaction.all().map(({ hash }) => hash)).toEqual(kept);
  expect([...new Set(paidCallMove.all().map(({ paidCallId }) => paidCallId))]).toEqual(kept);
  expect(posting.where(({ paidCallId }) => paidCallId === 'delivered')).toEqual([]);
  // New rows get numbers that no other row has.
  await put('next', ['settled', 'delivered'], true);
  expect(paidCall.size).toBe(4);
});
