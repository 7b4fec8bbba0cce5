import { expect, test } from '../support/without-browser';
import { runHistory } from './history';
import { runHistories } from './run-histories';

/** SIMULATION_SEED and SIMULATION_HISTORIES choose others, by hand. */
const first = Number(process.env.SIMULATION_SEED ?? 1);
const count = Number(process.env.SIMULATION_HISTORIES ?? 1_000);

/** A thousand take a good minute where nothing else runs, and a quarter of an hour where much does. */
const slowestMs = 1_500;

test('the promises hold in histories of killed processes, broken messages and removed blocks', async () => {
  test.setTimeout(60_000 + count * slowestMs);
  const coverage = await runHistories(first, count);
  if (count >= 1_000) expect(coverage.missing()).toEqual([]);
  expect(coverage.unexpected()).toEqual([]);
});

test('a seed is the same history each time', async () => {
  for (const seed of [first, first + 12, first + 29]) {
    const { log } = (await runHistory(seed)).world;
    const again = (await runHistory(seed)).world.log;
    expect(again.lines([], Number.POSITIVE_INFINITY)).toEqual(log.lines([], Number.POSITIVE_INFINITY));
  }
});
