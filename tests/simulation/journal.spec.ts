import { legalMoves, legalSettlementMoves } from '@/lib/ledger/states';
import { randomNumbers } from '../support/random';
import { expect, test } from '../support/without-browser';
import { journalCases } from './stores/journal-cases';
import { moves, situations } from './stores/journal-moves';
import { atOnce, type Effects, inOrder, inReverse, pairsOf, play } from './stores/journal-play';
import { memoryWorld } from './stores/journal-world';

for (const { title, run } of journalCases) test(title, async () => run(await memoryWorld()));

/** As text, without the milliseconds that messages take. */
function told({ results, rows }: Effects): string {
  const withoutMs = (line: string) => line.replaceAll(/(T12:\d\d:\d\d)\.\d{3}Z/g, '$1Z');
  return [...results, ...Object.values(rows).flat().map(withoutMs).sort()].join('\n');
}

test('in memory, two moves at once have exactly the effects of one after the other', async () => {
  const random = randomNumbers(1);
  for (const [number, situation] of situations.entries()) {
    // A sample, another for each situation: statements do not overlap in memory.
    for (const pair of pairsOf(moves).filter((_, index) => index % 20 === number % 20)) {
      const serial = [
        await play(await memoryWorld(), situation, pair, inOrder),
        await play(await memoryWorld(), situation, pair, inReverse),
      ].map(told);
      const world = await memoryWorld(() => Math.floor(random() * 20));
      const found = await world.time.finish(play(world, situation, pair, atOnce), 60_000);
      const names = [situation.name, ...pair.map(({ name }) => name)].join(', ');
      expect(serial, names).toContain(told(found));
    }
  }
});

test('the moves of the journal go every way that a settlement transaction may go, and only legal ones', async () => {
  const seen = new Set<string>();
  for (const situation of situations) {
    for (const move of moves) {
      const world = await memoryWorld();
      let before = new Map<string, string>();
      await play(world, situation, [move], async (runs) => {
        const rows = await world.all('settlementTransaction');
        before = new Map(rows.map(({ hash, state }) => [hash, state]));
        return inOrder(runs);
      });
      for (const { hash, state } of await world.all('settlementTransaction')) {
        const from = before.get(hash);
        if (from !== undefined && from !== state) seen.add(`${from} > ${state}`);
      }
    }
  }
  const legal = Object.entries(legalSettlementMoves).flatMap(([from, states]) =>
    states.map((to) => `${from} > ${to}`),
  );
  expect([...seen].sort()).toEqual(legal.sort());
});

test('the twin refuses every move that is not legal, as the triggers do', async () => {
  const world = await memoryWorld();
  const { arrange } = situations[0] ?? {};
  await arrange?.(world);
  // The call is settling, the transaction prepared.
  for (const state of ['claimed', 'delivered', 'kept', 'needs_attention', 'refunded'] as const) {
    expect(legalMoves.settling).not.toContain(state);
    await expect(world.update('paidCall', 'a', { state })).rejects.toThrow(
      `paid call a may not move from settling to ${state}`,
    );
  }
  await expect(world.update('settlementTransaction', 'id of 0x1', { state: 'vanished' })).rejects.toThrow(
    'settlement transaction id of 0x1 may not move from prepared to vanished',
  );
});
