import { test } from '../support/without-browser';
import { Coverage } from './coverage';
import { firstSmall } from './plan';
import { runHistories } from './run-histories';

/** A hundred thousand, of which two cores take about twenty minutes; shared by the workers. */
const shards = 16;
const ordinary = 250;
const small = 6_000;
const first = 100_000;

test.describe.configure({ mode: 'parallel' });

for (let shard = 0; shard < shards; shard += 1) {
  const seeds = first + shard * ordinary;
  const smallSeeds = firstSmall + first + shard * small;
  test(`the promises hold in ${ordinary} histories from seed ${seeds} and ${small} small ones from ${smallSeeds}`, async () => {
    test.setTimeout(3_600_000);
    const coverage = new Coverage();
    await runHistories(seeds, ordinary, { coverage });
    await runHistories(smallSeeds, small, { coverage });
    coverage.print();
  });
}
