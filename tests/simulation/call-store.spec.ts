import { legalMoves, type PaidCallState } from '@/lib/ledger/states';
import { expect, test } from '../support/without-browser';
import { callCases } from './stores/call-cases';
import { accountMoves, moves, play, situations } from './stores/call-moves';
import { memoryCallWorld } from './stores/call-world';

// The store of paid calls in memory. tests/repo/call-store.spec.ts has the same cases for PostgreSQL.

for (const { title, run } of callCases) test(title, async () => run(await memoryCallWorld(), title));

/** Moves that others make: the check of finality, an operator, and the refunds of an operator. */
const madeElsewhere = [
  'settled>unknown',
  'needs_attention>unknown',
  'delivered>unknown',
  'kept>unknown',
  'delivered>refunded',
  'kept>refunded',
];

test('everything that a call is told moves it along legal moves only, and every legal move is made', async () => {
  const made = new Set<string>();
  for (const situation of situations) {
    for (const move of [...moves, ...accountMoves]) {
      const world = await memoryCallWorld();
      await play(world, situation, 'call', [move], 'in order');
      const { moves: recorded } = await world.trace('pc_call');
      for (const step of recorded) made.add(step.split(' ')[0] ?? '');
    }
  }
  const states = Object.keys(legalMoves) as PaidCallState[];
  const legal = states.flatMap((from) => legalMoves[from].map((to) => `${from}>${to}`));
  // What was prepared and the permission to charge are two entries of one statement.
  const beginnings = ['null>claimed', 'claimed>prepared', 'prepared>settling'];
  const expected = [...legal.filter((step) => !madeElsewhere.includes(step)), ...beginnings];
  expect([...made].toSorted()).toEqual(expected.toSorted());
});
