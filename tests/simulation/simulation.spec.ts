import { expect, test } from '@playwright/test';
import { Coverage } from './coverage';
import { describeFailure, runHistory } from './history';

/** SIMULATION_SEED and SIMULATION_HISTORIES choose others, by hand. */
const firstSeed = Number(process.env.SIMULATION_SEED ?? 1);
const histories = Number(process.env.SIMULATION_HISTORIES ?? 1_000);

test('what is promised holds in histories of killed processes, broken messages and removed blocks', async () => {
  // A thousand take a minute where nothing else runs.
  test.setTimeout(60_000 + histories * 600);
  const coverage = new Coverage();
  const startedMs = performance.now();
  for (let seed = firstSeed; seed < firstSeed + histories; seed += 1) {
    const result = await runHistory(seed, coverage);
    if (result.violations.length > 0) throw new Error(describeFailure(result));
  }
  const minutes = (performance.now() - startedMs) / 60_000;
  console.log(`${histories} histories, ${Math.round(histories / minutes)} a minute`);
  for (const line of coverage.lines()) console.log(line);
  if (histories >= 1_000) expect(coverage.missing()).toEqual([]);
  expect(coverage.unexpected()).toEqual([]);
});

test('a seed is the same history each time', async () => {
  for (const seed of [firstSeed, firstSeed + 12, firstSeed + 29]) {
    const { log } = (await runHistory(seed)).world;
    const again = (await runHistory(seed)).world.log;
    expect(again.lines([], Number.POSITIVE_INFINITY)).toEqual(log.lines([], Number.POSITIVE_INFINITY));
  }
});
