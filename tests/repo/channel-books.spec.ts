import { expectAsInMemory, expectPairsAsInMemory, type Twins } from '../simulation/stores/as-in-memory';
import { memoryCallWorld } from '../simulation/stores/call-world';
import { type ChannelMove, moves, play, situations } from '../simulation/stores/channel-moves';
import { openPostgresCalls, type PostgresCalls } from '../support/postgres-calls';
import { test } from '../support/without-browser';

// The books of payment channels in PostgreSQL, and that those in memory do the same.

let opened: PostgresCalls;
test.beforeAll(async () => {
  opened = await openPostgresCalls();
});
test.afterAll(() => opened.close());

for (const [index, situation] of situations.entries()) {
  const twins: Twins<ChannelMove> = {
    inMemory: async (chosen, order) => play(await memoryCallWorld(), situation, 'memory-', chosen, order),
    inPostgres: (name, chosen, order) => play(opened.world, situation, name, chosen, order),
  };

  test(`a channel that is ${situation.name} is moved as in memory`, () =>
    expectAsInMemory(twins, index, moves));

  test(`two processes do something at once about a channel that is ${situation.name}`, () =>
    expectPairsAsInMemory(twins, index, moves));
}
