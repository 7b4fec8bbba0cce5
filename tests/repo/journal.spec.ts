import { expect, test } from '@playwright/test';
import { journalCases } from '../simulation/stores/journal-cases';
import { moves, situations } from '../simulation/stores/journal-moves';
import { inOrder, play } from '../simulation/stores/journal-play';
import { newCall, newSettlement } from '../simulation/stores/journal-rows';
import { memoryWorld } from '../simulation/stores/journal-world';
import { openPostgresWorlds, type PostgresWorlds } from '../support/postgres-world';

let worlds: PostgresWorlds;

test.beforeAll(async () => {
  worlds = await openPostgresWorlds();
});
test.afterAll(() => worlds.close());

for (const { title, run } of journalCases) test(title, async () => run(await worlds.next()));

for (const situation of situations) {
  test(`PostgreSQL and the twin make the same of every move: ${situation.name}`, async () => {
    for (const move of moves) {
      const expected = await play(await memoryWorld(), situation, [move], inOrder);
      const found = await play(await worlds.next(), situation, [move], inOrder);
      expect(found, move.name).toEqual(expected);
    }
  });
}

test('a call that is found settled while a replacement, in which its charge failed, is recorded loses that payment', async () => {
  const world = await worlds.next();
  await world.insert('settlementTransaction', newSettlement('0x1'));
  await world.insert('settlementTransaction', newSettlement('0x2'));
  const replaced = { settlementId: 'id of 0x2', transactionHash: '0x2' };
  await world.insert('paidCall', newCall('a', { state: 'settling', ...replaced }));
  const charge = await world.chargeOf('a');
  const block = { number: 5n, hash: '0xb' };
  // Both statements begin before either can change the earlier transaction.
  const unlock = await worlds.lock('settlementTransaction', 'id of 0x1');
  const found = world.other.journal.outbox.recordOutcome(charge, {
    kind: 'settled',
    transactionHash: '0x1',
    block,
  });
  await expect.poll(() => worlds.waiting()).toBe(1);
  const mined = world.one.journal.outbox.recordMined({
    network: 'base',
    hash: '0x2',
    block,
    gasUsed: 100n,
    feeAtomic: 1_000n,
    feeInVainAtomic: 400n,
    outcomes: [],
    inVain: [{ paidCallId: 'a', payer: charge.payment.payer, gas: 40n }],
    failedIds: ['a'],
  });
  await expect.poll(() => worlds.waiting()).toBe(2);
  await unlock();
  await Promise.all([found, mined]);
  expect(await world.all('paidCall')).toMatchObject([{ state: 'unknown', reorganizations: 1 }]);
  const postings = await world.all('posting');
  expect(postings.filter(({ paidCallId }) => paidCallId === 'a')).toMatchObject([
    { kind: 'settled', debitAccount: 'chain:base:treasury' },
    { kind: 'settled_reversed', creditAccount: 'chain:base:treasury' },
  ]);
});
