import { memoryCallWorld } from '../simulation/stores/call-world';
import { type ChannelMove, moves, play, situations } from '../simulation/stores/channel-moves';
import { openPostgresCalls, type PostgresCalls } from '../support/postgres-calls';
import { expect, test } from '../support/without-browser';

// The books of payment channels in PostgreSQL, and that those in memory do the same.

let opened: PostgresCalls;
test.beforeAll(async () => {
  opened = await openPostgresCalls();
});
test.afterAll(() => opened.close());

/** What the books in memory have after moves in an order. */
async function inMemory(
  situation: (typeof situations)[number],
  told: readonly ChannelMove[],
  order: 'in order' | 'in reverse',
): Promise<string> {
  return play(await memoryCallWorld(), situation, 'memory-', told, order);
}

const atOnce = 8;

for (const [index, situation] of situations.entries()) {
  test(`a channel that is ${situation.name} is moved as in memory`, async () => {
    for (const [number, move] of moves.entries()) {
      const effects = await play(opened.world, situation, `single-${index}-${number}-`, [move], 'in order');
      expect(effects, move.name).toBe(await inMemory(situation, [move], 'in order'));
    }
  });

  test(`two processes do something at once about a channel that is ${situation.name}`, async () => {
    const pairs = moves.flatMap((one, at) => moves.slice(at).map((other) => [one, other] as const));
    const check = async (pair: readonly [ChannelMove, ChannelMove], number: number) => {
      const inOrder = await inMemory(situation, pair, 'in order');
      const inReverse = await inMemory(situation, pair, 'in reverse');
      // Where the order makes no difference, there is nothing to race for.
      if (inOrder === inReverse && pair[0] !== pair[1]) return;
      const effects = await play(opened.world, situation, `pair-${index}-${number}-`, pair, 'at once');
      expect([inOrder, inReverse], pair.map((move) => move.name).join(' | ')).toContain(effects);
    };
    for (let at = 0; at < pairs.length; at += atOnce)
      await Promise.all(pairs.slice(at, at + atOnce).map((pair, offset) => check(pair, at + offset)));
  });
}
