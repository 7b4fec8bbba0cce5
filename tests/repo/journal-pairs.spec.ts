import { moves, situations } from '../simulation/stores/journal-moves';
import {
  atOnce,
  type Effects,
  findUnexpected,
  inOrder,
  inReverse,
  only,
  pairsOf,
  play,
  reopened,
} from '../simulation/stores/journal-play';
import { memoryWorld } from '../simulation/stores/journal-world';
import { openPostgresWorlds, type PostgresWorlds } from '../support/postgres-world';
import { expect, test } from '../support/without-browser';

let worlds: PostgresWorlds;

test.beforeAll(async () => {
  worlds = await openPostgresWorlds();
});
test.afterAll(() => worlds.close());

// A statement finds rows as they were when it began, so it may come too early for one that the other statement changes.
for (const situation of situations) {
  test(`two moves at once leave each row as one after the other or one alone: ${situation.name}`, async () => {
    for (const pair of pairsOf(moves)) {
      const possible: Effects[] = [];
      for (const order of [inOrder, inReverse, only(0), only(1)])
        possible.push(await play(await memoryWorld(), situation, pair, order));
      for (const { mayReopen } of pair)
        if (mayReopen) possible.push(...possible.map((effects) => reopened(effects, mayReopen)));
      const found = await play(await worlds.next(), situation, pair, atOnce);
      expect(findUnexpected(found, possible), pair.map(({ name }) => name).join(', and ')).toEqual([]);
    }
  });
}
