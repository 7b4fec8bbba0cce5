import { expect, test } from '../support/without-browser';
import { drawPlan, type Plan } from './plan';
import { runHistories } from './run-histories';

// Histories in which some pay through payment channels.

/** SIMULATION_SEED and SIMULATION_HISTORIES choose others, by hand. */
const first = Number(process.env.SIMULATION_SEED ?? 1);
const count = Number(process.env.SIMULATION_HISTORIES ?? 60);
const slowestMs = 6_000;

/**
 * In half of them the database's answers are often lost, which says most about vouchers, and in half of these very often. In a
 * third, operators refund calls.
 */
function planOf(seed: number): Plan {
  const plan = drawPlan(seed, seed % 3 === 0 ? ['channels', 'operators'] : ['channels']);
  if (seed % 2 === 1) return plan;
  return { ...plan, statementAnswerLost: Math.max(plan.statementAnswerLost, seed % 4 === 0 ? 0.3 : 0.06) };
}

test('calls paid through channels are delivered, claimed and refunded once while everything goes wrong', async () => {
  test.setTimeout(60_000 + count * slowestMs);
  const coverage = await runHistories(first, count, {
    planOf,
    spec: 'tests/simulation/channel-histories.spec.ts',
  });
  coverage.print();
  if (count >= 60) expect(coverage.missing(['channel'])).toEqual([]);
});
