import { legalMoves } from '@/lib/ledger/states';
import { expect, test } from '../support/without-browser';
import { describeCounterexample, type Exploration, explore } from './checker';
import { paidCall } from './paid-call';
import { variants } from './variants';

/** Legal moves that the model does not make, and why. */
const leftOut: Readonly<Record<string, string>> = {};

const moves = new Set<string>();
const explorations: Exploration[] = [];

test.describe.configure({ timeout: 240_000 });

for (const [name, variant] of Object.entries(variants))
  test(`with kills and ${name}, every state that a paid call can reach keeps the promises and comes to an end`, () => {
    const startedCpu = process.cpuUsage();
    const exploration = explore(paidCall(variant), ({ next }) => {
      for (const event of next.events) moves.add(event);
    });
    const { user, system } = process.cpuUsage(startedCpu);
    explorations.push(exploration);
    const { states, steps, depth, ends, counterexample } = exploration;
    console.log(
      `${name}: ${states} states, ${steps} steps, ${ends} ends, depth ${depth}, ${((user + system) / 1e6).toFixed(1)} s of CPU time`,
    );
    expect(counterexample && describeCounterexample(counterexample)).toBeNull();
  });

test('the explorations make every legal move of a paid call that is not left out with a reason', () => {
  const made = new Set(
    [...moves].filter((event) => !event.startsWith('transaction')).map((event) => event.replace(/^.*: /, '')),
  );
  const legal = Object.entries(legalMoves).flatMap(([from, next]) => next.map((to) => `${from} > ${to}`));
  console.log(`moves: ${[...moves].sort().join('; ')}`);
  const total = (of: 'states' | 'steps') =>
    explorations.reduce((sum, exploration) => sum + exploration[of], 0);
  console.log(`in all: ${total('states')} states, ${total('steps')} steps`);
  expect(legal.filter((move) => !made.has(move))).toEqual(Object.keys(leftOut));
});
