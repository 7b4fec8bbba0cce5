import { expect, test } from '../support/without-browser';
import { runHistory } from './history';
import { firstSmall } from './plan';
import { runHistories } from './run-histories';

/** SIMULATION_SEED and SIMULATION_HISTORIES choose others, by hand. */
const { SIMULATION_SEED, SIMULATION_HISTORIES } = process.env;
const first = Number(SIMULATION_SEED ?? 1);
const count = Number(SIMULATION_HISTORIES ?? 120);
/** The small ones beside them. */
const countSmall = SIMULATION_SEED || SIMULATION_HISTORIES ? 0 : 880;

/** A thousand take a good minute where nothing else runs, and a quarter of an hour where much does. */
const slowestMs = 1_500;

test('the promises hold in histories of killed processes, broken messages and removed blocks', async () => {
  test.setTimeout(60_000 + (count + countSmall) * slowestMs);
  const coverage = await runHistories(first, count);
  if (countSmall > 0) await runHistories(firstSmall, countSmall, { coverage });
  coverage.print();
  if (count + countSmall >= 1_000) expect(coverage.missing()).toEqual([]);
  expect(coverage.unexpected()).toEqual([]);
});

test('a seed is the same history each time', async () => {
  for (const seed of [first, first + 12, first + 29]) {
    const { log } = (await runHistory(seed)).world;
    const again = (await runHistory(seed)).world.log;
    expect(again.lines([], Number.POSITIVE_INFINITY)).toEqual(log.lines([], Number.POSITIVE_INFINITY));
  }
});
