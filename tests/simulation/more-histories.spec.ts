import { test } from '../support/without-browser';
import { runHistories } from './run-histories';

/** As many as two cores run in about eight minutes, shared by the workers. */
const shards = 8;
const histories = 1_500;

test.describe.configure({ mode: 'parallel' });

for (let shard = 0; shard < shards; shard += 1) {
  const first = 100_000 + shard * histories;
  test(`the promises hold in the histories from seed ${first} to ${first + histories - 1}`, async () => {
    test.setTimeout(3_600_000);
    await runHistories(first, histories);
  });
}
