import { sample } from '../support/tiers';
import { expect, test } from '../support/without-browser';
import { runHistory } from './history';
import { firstSmall } from './plan';
import { runHistories } from './run-histories';

/** SIMULATION_SEED and SIMULATION_HISTORIES choose others, by hand. */
const { SIMULATION_SEED, SIMULATION_HISTORIES } = process.env;
const first = Number(SIMULATION_SEED ?? 1);
const byHand = SIMULATION_SEED || SIMULATION_HISTORIES ? Number(SIMULATION_HISTORIES ?? 120) : null;

/** A thousand take a good minute where nothing else runs, and a quarter of an hour where much does. */
const slowestMs = 1_500;

/** What small histories hardly ever reach. The full tier expects it of more large ones. */
const inLargeOnes: readonly string[] = [
  'transaction: confirmed > vanished',
  'transaction: vanished > confirmed',
  'channel: Claimed by somebody else',
  'channel: refund too_soon',
  'fault: a stranger sends our claim',
];

const runs = [
  { large: 12, small: 988, isComplete: false },
  { large: 120, small: 880, isComplete: true },
];

for (const { large, small, isComplete } of byHand === null
  ? runs
  : [{ large: byHand, small: 0, isComplete: false }])
  test(
    `the promises hold in histories of killed processes, broken messages and removed blocks${isComplete ? ', which make every legal move and meet every fault' : ''}`,
    sample(!isComplete),
    async () => {
      test.setTimeout(60_000 + (large + small) * slowestMs);
      const coverage = await runHistories(first, large);
      if (small > 0) await runHistories(firstSmall, small, { coverage });
      coverage.print();
      const left = isComplete ? [] : inLargeOnes;
      if (large + small >= 1_000)
        expect(coverage.missing().filter((what) => !left.includes(what))).toEqual([]);
      expect(coverage.unexpected()).toEqual([]);
    },
  );

test('a seed is the same history each time', async () => {
  for (const seed of [first, first + 12]) {
    const { log } = (await runHistory(seed)).world;
    const again = (await runHistory(seed)).world.log;
    expect(again.lines([], Number.POSITIVE_INFINITY)).toEqual(log.lines([], Number.POSITIVE_INFINITY));
  }
});
