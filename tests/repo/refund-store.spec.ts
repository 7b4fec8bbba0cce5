import { memoryCallWorld } from '../simulation/stores/call-world';
import { refundCases } from '../simulation/stores/refund-cases';
import { moves, play, type RefundMove, situations } from '../simulation/stores/refund-moves';
import { openPostgresCalls, type PostgresCalls } from '../support/postgres-calls';
import { sample } from '../support/tiers';
import { expect, test } from '../support/without-browser';

// The store of refunds in PostgreSQL, and that the store in memory does the same.

let opened: PostgresCalls;
test.beforeAll(async () => {
  opened = await openPostgresCalls();
});
test.afterAll(() => opened.close());

for (const { title, run } of refundCases) test(title, () => run(opened.world, title));

/** What the store in memory has after moves in an order. */
async function inMemory(
  situation: (typeof situations)[number],
  told: readonly RefundMove[],
  order: 'in order' | 'in reverse',
): Promise<string> {
  return play(await memoryCallWorld(), situation, 'call', told, order);
}

const atOnce = 8;

for (const [index, situation] of situations.entries()) {
  test(`a call that is ${situation.name} is refunded as in memory`, async () => {
    for (const [number, move] of moves.entries()) {
      const name = `single-${index}-${number}-`;
      const effects = await play(opened.world, situation, name, [move], 'in order');
      expect(effects, move.name).toBe(await inMemory(situation, [move], 'in order'));
    }
  });

  test(
    `two processes do something at once about a call that is ${situation.name}`,
    sample(index === 0),
    async () => {
      const pairs = moves.flatMap((one, at) => moves.slice(at).map((other) => [one, other] as const));
      const check = async (pair: readonly [RefundMove, RefundMove], number: number) => {
        const inOrder = await inMemory(situation, pair, 'in order');
        const inReverse = await inMemory(situation, pair, 'in reverse');
        // Where the order makes no difference, there is nothing to race for.
        if (inOrder === inReverse && pair[0] !== pair[1]) return;
        const name = `pair-${index}-${number}-`;
        const effects = await play(opened.world, situation, name, pair, 'at once');
        expect([inOrder, inReverse], pair.map((move) => move.name).join(' | ')).toContain(effects);
      };
      for (let at = 0; at < pairs.length; at += atOnce)
        await Promise.all(pairs.slice(at, at + atOnce).map((pair, offset) => check(pair, at + offset)));
    },
  );
}
