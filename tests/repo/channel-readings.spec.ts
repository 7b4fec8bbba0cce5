import { channelBook } from '@/lib/ledger/channel-book';
import { collectionBook } from '@/lib/ledger/channel-collection';
import { finalityRecord } from '@/lib/ledger/finality-record';
import { callStore } from '@/lib/ledger/postgres-call-store';
import type { Payment } from '@/lib/payments/payment';
import { type ChannelLedger, openChannelLedger, payer, price } from '../support/channel-ledger';
import { expect, test } from '../support/without-browser';

// What the ledger takes from the contract of the channels: figures and events, each from some block.

let { opened, ledger, newChannel, claim, charge, close } = {} as ChannelLedger;
test.beforeEach(async () => {
  ({ opened, ledger, newChannel, claim, charge, close } = await openChannelLedger());
});
test.afterEach(() => close());

async function channelOf(id: string) {
  const channel = await channelBook(opened.app).find(id);
  if (!channel) throw new Error(`no channel ${id}`);
  return channel;
}

test('figures of a block that is known do not make a channel younger, and those of a later one do', async () => {
  const id = await newChannel({ readAt: new Date(Date.now() - 60_000) });
  const known = await channelOf(id);
  const { record } = channelBook(opened.app);
  expect(await record(known, known)).toEqual(known);
  const later = await record(known, { ...known, blockNumber: known.blockNumber + 1n });
  expect(later.readAt.getTime()).toBeGreaterThan(known.readAt.getTime());
});

test('the events of the contract are read from as far before the first reading of a channel as reorganizations reach', async () => {
  const { record, watchedUntil } = collectionBook(opened.app);
  const known = await channelOf(await newChannel());
  expect(await watchedUntil('base')).toBeNull();
  await record(known, { ...known, blockNumber: 107n });
  await record(known, { ...known, blockNumber: 109n });
  expect(await watchedUntil('base')).toEqual({ finalBlock: 75n, seenBlock: 107n });
});

test('a payout from before the first channel was read is not booked, because it is of an earlier ledger', async () => {
  const { record, recordEvents } = collectionBook(opened.app);
  const known = await channelOf(await newChannel());
  await ledger.query('DELETE FROM channel_event');
  await record({ ...known, id: `0x${'e'.repeat(64)}`, network: 'polygon' }, { ...known, blockNumber: 107n });
  const paidOut = (blockNumber: bigint) => {
    const place = { blockNumber, transactionHash: `0x${blockNumber}`, logIndex: 0 };
    return {
      ...place,
      name: 'Settled',
      channelId: null,
      amountAtomic: price,
      receiver: 'us',
      token: 'USDC',
    } as const;
  };
  await recordEvents('polygon', [paidOut(106n), paidOut(108n)], { finalBlock: 109n, seenBlock: 109n });
  const { rows } = await ledger.query('SELECT block_number::int AS block FROM channel_event ORDER BY id');
  expect(rows).toEqual([{ block: 108 }]);
});

test('claims that are in the first figures of a channel are not booked, and later ones are, once', async () => {
  const { record, recordEvents } = collectionBook(opened.app);
  const known = await channelOf(await newChannel());
  const channelId = `0x${'c'.repeat(64)}`;
  await record({ ...known, id: channelId }, { ...known, claimedAtomic: price, blockNumber: 7n });
  const claimedIn = (blockNumber: bigint, claimedAtomic: bigint) => {
    const transactionHash = `0x${blockNumber}`;
    const event = { blockNumber, transactionHash, logIndex: 0, name: 'Claimed', channelId };
    return { ...event, amountAtomic: price, claimedAtomic };
  };
  const until = { finalBlock: 9n, seenBlock: 9n };
  // The reading was made in a block that a reorganization has removed since: a later claim is in an earlier block.
  const claims = [claimedIn(5n, price), claimedIn(6n, 2n * price), claimedIn(8n, 3n * price)];
  for (let reading = 0; reading < 2; reading += 1) await recordEvents('base', claims, until);
  const { rows } = await ledger.query('SELECT block_number::int AS block FROM channel_event ORDER BY id');
  expect(rows).toEqual([{ block: 6 }, { block: 8 }]);
});

test('only a voucher that no claim has published proves who asks', async () => {
  const id = await newChannel();
  await charge(await claim(id, price));
  const { isPrivate } = callStore(opened.app);
  const payment: Payment = {
    network: 'base',
    asset: 'USDC',
    payer,
    authorization: `${id}:${price}`,
    amountAtomic: price,
    payTo: 'us',
    validBefore: new Date(),
    channelId: id,
    signed: {
      family: 'channel',
      salt: `0x${'0'.repeat(64)}`,
      maxClaimable: `${price}`,
      signature: `0x${'0'.repeat(130)}`,
      deposit: null,
    },
  };
  expect(await isPrivate(payment)).toBe(true);
  await collectionBook(opened.app).takeClaims([{ channelId: id, totalAtomic: price }]);
  expect(await isPrivate(payment)).toBe(false);
});

test('a reorganization that removes a deposit makes the figures of its channel old, and its call is not refused', async () => {
  const id = await newChannel();
  const voucher = await claim(id, price);
  const { paidCallId } = voucher;
  expect(await charge(voucher)).toBe('settled');
  await ledger.query(
    `INSERT INTO settlement_transaction (id, network, signer, hash, raw, payments, state, created_at)
     VALUES ('deposit', 'base', 'signer', '0xd', 'raw', 1, 'prepared', now())`,
  );
  await ledger.query(
    `UPDATE settlement_transaction SET state = 'confirmed', confirmed_at = now(), block_number = 5, block_hash = '0xb',
       fee_atomic = 1, fee_in_vain_atomic = 0, fee_unit = 'wei'`,
  );
  await ledger.query(`UPDATE paid_call SET settlement_id = 'deposit' WHERE id = $1`, [paidCallId]);
  await finalityRecord(opened.app).recordVanished(
    'base',
    { hash: '0xd', block: { number: 5n, hash: '0xb' } },
    new Date(),
  );
  expect((await channelOf(id)).readAt).toEqual(new Date(0));
  await callStore(opened.app).recordOutcome(paidCallId, { kind: 'refused', reason: 'expired' }, new Date());
  const { rows } = await ledger.query('SELECT state FROM paid_call WHERE id = $1', [paidCallId]);
  expect(rows).toEqual([{ state: 'unknown' }]);
});
