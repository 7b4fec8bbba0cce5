import { expectAsInMemory, expectPairsAsInMemory, type Twins } from '../simulation/stores/as-in-memory';
import { callCases } from '../simulation/stores/call-cases';
import { accountMoves, type CallMove, moves, play, situations } from '../simulation/stores/call-moves';
import { memoryCallWorld } from '../simulation/stores/call-world';
import { openPostgresCalls, type PostgresCalls } from '../support/postgres-calls';
import { sample } from '../support/tiers';
import { test } from '../support/without-browser';

// The store of paid calls in PostgreSQL, and that the store in memory does the same.

let opened: PostgresCalls;
test.beforeAll(async () => {
  opened = await openPostgresCalls();
});
test.afterAll(() => opened.close());

for (const { title, run } of callCases) test(title, () => run(opened.world, title));

for (const [index, situation] of situations.entries()) {
  const fits = [...moves, ...(situation.name.includes('account') ? accountMoves : [])];
  const twins: Twins<CallMove> = {
    inMemory: async (chosen, order) => play(await memoryCallWorld(), situation, 'call', chosen, order),
    inPostgres: (name, chosen, order) => play(opened.world, situation, name, chosen, order),
  };

  test(`a call that is ${situation.name} is moved as in memory`, sample(index % 3 === 0), () =>
    expectAsInMemory(twins, index, fits),
  );

  test(`two processes move a call that is ${situation.name} one after the other`, sample(index === 0), () =>
    expectPairsAsInMemory(twins, index, fits),
  );
}
