import { expectAsInMemory, expectPairsAsInMemory, type Twins } from '../simulation/stores/as-in-memory';
import { memoryCallWorld } from '../simulation/stores/call-world';
import { refundCases } from '../simulation/stores/refund-cases';
import { moves, play, type RefundMove, situations } from '../simulation/stores/refund-moves';
import { openPostgresCalls, type PostgresCalls } from '../support/postgres-calls';
import { sample } from '../support/tiers';
import { test } from '../support/without-browser';

// The store of refunds in PostgreSQL, and that the store in memory does the same.

let opened: PostgresCalls;
test.beforeAll(async () => {
  opened = await openPostgresCalls();
});
test.afterAll(() => opened.close());

for (const { title, run } of refundCases) test(title, () => run(opened.world, title));

for (const [index, situation] of situations.entries()) {
  const twins: Twins<RefundMove> = {
    inMemory: async (chosen, order) => play(await memoryCallWorld(), situation, 'call', chosen, order),
    inPostgres: (name, chosen, order) => play(opened.world, situation, name, chosen, order),
  };

  test(`a call that is ${situation.name} is refunded as in memory`, () =>
    expectAsInMemory(twins, index, moves));

  test(`two processes do something at once about a call that is ${situation.name}`, sample(index === 0), () =>
    expectPairsAsInMemory(twins, index, moves),
  );
}
