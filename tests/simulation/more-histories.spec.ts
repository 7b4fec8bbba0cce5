import { test } from '../support/without-browser';
import { firstSmall } from './plan';
import { runHistories } from './run-histories';

/**
 * A hundred thousand, of which two cores take about twenty minutes; shared by the workers. They are the last tests of their run.
 * SIMULATION_UNTIL, in seconds since 1970, is for a run that must end in time: parts that would begin later are skipped.
 */
const parts = 80;
const ordinary = 50;
const small = 1_200;
const first = 100_000;
const untilMs = Number(process.env.SIMULATION_UNTIL ?? Number.POSITIVE_INFINITY) * 1_000;

test.describe.configure({ mode: 'parallel' });

for (let part = 0; part < parts; part += 1) {
  const seeds = first + part * ordinary;
  const smallSeeds = firstSmall + first + part * small;
  test(`the promises hold in ${ordinary} histories from seed ${seeds} and ${small} small ones from ${smallSeeds}`, async () => {
    test.skip(part > 0 && Date.now() > untilMs, 'no time is left');
    test.setTimeout(1_200_000);
    await runHistories(seeds, ordinary);
    await runHistories(smallSeeds, small);
    test.info().annotations.push({ type: 'histories', description: String(ordinary + small) });
  });
}
