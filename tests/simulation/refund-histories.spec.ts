import { sample } from '../support/tiers';
import { expect, test } from '../support/without-browser';
import { drawPlan } from './plan';
import { runHistories } from './run-histories';

// Histories in which operators refund calls, every second one with payers on Solana.

/** SIMULATION_SEED and SIMULATION_HISTORIES choose others, by hand. */
const first = Number(process.env.SIMULATION_SEED ?? 1);
const byHand = process.env.SIMULATION_HISTORIES;
const slowestMs = 6_000;

const planOf = (seed: number) => drawPlan(seed, seed % 2 === 0 ? ['operators', 'Solana'] : ['operators']);

for (const { count, isComplete } of [
  { count: Number(byHand ?? 6), isComplete: false },
  { count: 60, isComplete: true },
])
  test(
    `each call is refunded once when operators refund calls while everything goes wrong, ${isComplete ? 'in all ways' : 'in a few histories'}`,
    sample(!isComplete),
    async () => {
      test.setTimeout(60_000 + count * slowestMs);
      const coverage = await runHistories(first, count, {
        planOf,
        spec: 'tests/simulation/refund-histories.spec.ts',
      });
      coverage.print();
      if (isComplete) expect(coverage.missing(['refund'])).toEqual([]);
    },
  );
