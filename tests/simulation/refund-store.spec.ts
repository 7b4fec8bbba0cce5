import { legalRefundMoves, type RefundState, refundEvents } from '@/lib/ledger/refund-states';
import { expect, test } from '../support/without-browser';
import { memoryCallWorld } from './stores/call-world';
import { refundCases } from './stores/refund-cases';
import { moves, play, situations } from './stores/refund-moves';

// The store of refunds in memory. tests/repo/refund-store.spec.ts has the same cases for PostgreSQL.

for (const { title, run } of refundCases) test(title, async () => run(await memoryCallWorld(), title));

test('every legal move of a refund is made, in every state in which an event can happen, and no other', async () => {
  const made = new Set<string>();
  for (const situation of situations) {
    for (const move of moves) {
      const world = await memoryCallWorld();
      await play(world, situation, 'call', [move], 'in order');
      const traces = await world.traceRefunds('pc_call');
      for (const step of traces.flatMap((trace) => trace.moves)) made.add(step.split(' ')[0] ?? '');
    }
  }
  // A refund that stays sent has another transaction, or has lost its block.
  const events = Object.values(refundEvents).flatMap(({ from, to }) => from.map((state) => `${state}>${to}`));
  expect([...made].toSorted()).toEqual([...new Set(['null>requested', ...events])].toSorted());
  const states = Object.keys(legalRefundMoves) as RefundState[];
  const legal = states.flatMap((from) => legalRefundMoves[from].map((to) => `${from}>${to}`));
  expect(legal.filter((step) => !made.has(step))).toEqual([]);
});
