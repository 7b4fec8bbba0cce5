import { journalCases } from '../simulation/stores/journal-cases';
import { moves, situations } from '../simulation/stores/journal-moves';
import { inOrder, play } from '../simulation/stores/journal-play';
import { memoryWorld } from '../simulation/stores/journal-world';
import { openPostgresWorlds, type PostgresWorlds } from '../support/postgres-world';
import { sample } from '../support/tiers';
import { expect, test } from '../support/without-browser';

let worlds: PostgresWorlds;

test.beforeAll(async () => {
  worlds = await openPostgresWorlds();
});
test.afterAll(() => worlds.close());

for (const { title, run } of journalCases) test(title, async () => run(await worlds.next()));

for (const [index, situation] of situations.entries()) {
  test(
    `PostgreSQL and the twin make the same of every move: ${situation.name}`,
    sample(index % 3 === 0),
    async () => {
      for (const move of moves) {
        const expected = await play(await memoryWorld(), situation, [move], inOrder);
        const found = await play(await worlds.next(), situation, [move], inOrder);
        expect(found, move.name).toEqual(expected);
      }
    },
  );
}
