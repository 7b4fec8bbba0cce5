import { expect, test } from '../support/without-browser';
import { memoryCallWorld } from './stores/call-world';
import { moves, play, situations } from './stores/channel-moves';

// The books of payment channels in memory. tests/repo/channel-books.spec.ts compares them to those in PostgreSQL.

test('in memory, no two moves charge a channel more than its calls, or less than before', async () => {
  const charged = new Set<string>();
  for (const situation of situations) {
    for (const move of moves) {
      const world = await memoryCallWorld();
      await situation.arrange(world, 'channel');
      const before = await world.one.channels.find('channel of channel');
      await move.run(world.one, 'channel').catch(() => null);
      const after = await world.one.channels.find('channel of channel');
      const raised = (after?.chargedAtomic ?? 0n) - (before?.chargedAtomic ?? 0n);
      if (before) charged.add(String(raised));
    }
  }
  expect([...charged].toSorted()).toEqual(['0', '5000']);
});

test('every situation of a channel and every move of its books has an effect of its own', async () => {
  const effects = await Promise.all(
    situations.map(async (situation) => play(await memoryCallWorld(), situation, 'channel', [], 'in order')),
  );
  expect(new Set(effects).size).toBe(situations.length);
});
