import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { collectionBook } from '@/lib/ledger/channel-collection';
import { listChannels, unclaimedByNetwork } from '@/lib/ledger/channel-list';
import { readChannelItems } from '@/lib/ledger/channel-worklist';
import { writeOffUnclaimable } from '@/lib/ledger/channel-write-offs';
import { readFigures } from '@/lib/operator/figures/daily';
import { readDatabaseFigures } from '@/lib/operator/metrics/database-figures';
import { type LedgerApp, openLedgerApp } from '../support/ledger-app';
import { expect, test } from '../support/without-browser';

// Write-offs of channels in the ledger, without a chain.

let opened: LedgerApp;
let ledger: pg.Pool;
test.beforeEach(async () => {
  opened = await openLedgerApp();
  ledger = opened.ledger;
});
test.afterEach(() => opened.close());

/** A channel with 0.60 USDC spent, whose claim the contract did not accept. */
async function newChannel({ balance = 0, claimed = 0 } = {}): Promise<string> {
  const id = `0x${randomBytes(32).toString('hex')}`;
  await ledger.query(
    `INSERT INTO channel (id, network, payer, receiver, receiver_authorizer, token, withdraw_delay, salt, balance_atomic,
       withdrawing_atomic, claimed_atomic, read_at_block, read_at, opened_atomic, charged_atomic, created_at, claim_failed_at)
     VALUES ($1, 'base', '0x01', '0x02', '0x03', '0x04', 86400, '0x00', $2, 0, $3, 1, now(), 0, 600000, now(), now())`,
    [id, balance, claimed],
  );
  return id;
}

const writeOff = (channelId: string) =>
  opened.app.db.$transaction((db) => writeOffUnclaimable(db, { channelId, note: 'withdrawn' }, new Date()));

async function writtenOff(id: string): Promise<number> {
  const { rows } = await ledger.query('SELECT written_off_atomic::int AS atomic FROM channel WHERE id = $1', [
    id,
  ]);
  return rows[0].atomic;
}

for (const { channel, figures, part, atomic } of [
  { channel: 'that holds nothing', figures: {}, part: 'everything', atomic: 600_000 },
  { channel: 'that holds less', figures: { balance: 200_000 }, part: 'the rest', atomic: 400_000 },
  {
    channel: 'that was claimed and then emptied',
    figures: { balance: 500_000, claimed: 500_000 },
    part: 'what was not claimed',
    atomic: 100_000,
  },
  { channel: 'that holds as much', figures: { balance: 600_000 }, part: 'nothing', atomic: 0 },
  {
    channel: 'of which more was claimed',
    figures: { balance: 700_000, claimed: 700_000 },
    part: 'nothing',
    atomic: 0,
  },
])
  test(`a write-off for a channel ${channel} covers ${part}`, async () => {
    const id = await newChannel(figures);
    await writeOff(id);
    expect(await writtenOff(id)).toBe(atomic);
  });

test('an amount written off is unclaimed nowhere, and is no gas', async () => {
  const { app } = opened;
  const [lost, partly] = [await newChannel(), await newChannel({ balance: 200_000 })];
  for (const id of [lost, partly]) await writeOff(id);
  expect(await collectionBook(app).unclaimed('base')).toBe(200_000n);
  expect(await unclaimedByNetwork(app)).toEqual(new Map([['base', 200_000n]]));
  expect((await readDatabaseFigures(app)).optional).toMatchObject([{ base: { unclaimed: 200_000 } }]);
  expect(await readChannelItems(app, 10)).toMatchObject([{ id: partly, amountAtomic: 200_000n }]);
  expect((await listChannels(app, 10)).map(({ id }) => id)).toEqual([partly, lost]);
  expect((await readFigures(app, new Date(0), new Date(Date.now() + 60_000))).gas).toEqual({});
});

test('a channel that is written off is not claimed, until its payer deposits again', async () => {
  const id = await newChannel();
  const due = async () =>
    (await collectionBook(opened.app).due('base', { limit: 10, isClosing: false })).map(
      (channel) => channel.id,
    );
  expect(await due()).toEqual([id]);
  await writeOff(id);
  expect(await due()).toEqual([]);
  await ledger.query('UPDATE channel SET balance_atomic = 600000 WHERE id = $1', [id]);
  expect(await due()).toEqual([id]);
  expect(await unclaimedByNetwork(opened.app)).toEqual(new Map([['base', 600_000n]]));
  expect(await readChannelItems(opened.app, 10)).toMatchObject([{ id, amountAtomic: 600_000n }]);
});

test('two operators who write off the same channel at once write it off once', async () => {
  const id = await newChannel();
  await Promise.all([writeOff(id), writeOff(id), writeOff(id)]);
  const { rows } = await ledger.query(
    'SELECT channel_id, amount_atomic::int AS amount FROM channel_write_off',
  );
  expect(rows).toEqual([{ channel_id: id, amount: 600_000 }]);
  expect(await writtenOff(id)).toBe(600_000);
});

test('a write-off is never changed, of nothing, or taken back by more than there is', async () => {
  const id = await newChannel();
  await writeOff(id);
  const insert = (amount: number) =>
    `INSERT INTO channel_write_off (channel_id, amount_atomic, note, at) VALUES ('${id}', ${amount}, '', now())`;
  for (const [statement, refusal] of [
    ['UPDATE channel_write_off SET amount_atomic = 1', /is refused/],
    ['DELETE FROM channel_write_off', /is refused/],
    ['TRUNCATE channel_write_off CASCADE', /is refused/],
    [insert(0), /channel_write_off_of_something/],
    [insert(-600_001), /channel_written_off_not_negative/],
  ] as const)
    await expect(ledger.query(statement), statement).rejects.toThrow(refusal);
});
