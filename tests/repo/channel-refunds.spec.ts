import { collectionBook } from '@/lib/ledger/channel-collection';
import { refundBook } from '@/lib/ledger/channel-refund-book';
import { paidForEachRefund, unearnedRefundsMax } from '@/lib/payments/channels/channel-refund-rules';
import { productionTimings } from '@/lib/platform/timings';
import {
  type ChannelLedger,
  type Figures,
  newPayer,
  openChannelLedger,
  price,
} from '../support/channel-ledger';
import { expect, test } from '../support/without-browser';

// Promises of refunds in the ledger, without a chain. The tests share a database, and each has channels of its own.

let { opened, ledger, newChannel, claim, charge, askAll, close } = {} as ChannelLedger;
test.beforeAll(async () => {
  ({ opened, ledger, newChannel, claim, charge, askAll, close } = await openChannelLedger());
});
test.afterAll(() => close());

test('an amount that is promised back cannot be spent, even by simultaneous requests', async () => {
  // It has already paid for a call.
  const id = await newChannel({ balance: 3n * price, claimed: price });
  const first = await claim(id, 2n * price);
  const askAll = { channelId: id, totalAtomic: price, atomic: null, isUsable: true };
  const [promised, paid] = await Promise.all([refundBook(opened.app).promise(askAll), charge(first)]);
  if (paid === 'settled') expect(promised.kind).toBe('refused');
  else expect(promised).toMatchObject({ kind: 'promised', refund: { atomic: 2n * price, number: 0n } });
  const next = { ...askAll, totalAtomic: paid === 'settled' ? 2n * price : price };
  expect(await refundBook(opened.app).promise(next)).toMatchObject({ kind: 'promised' });
  const total = next.totalAtomic + price;
  expect(await charge(await claim(id, total))).toBe('refused');
  await expect(ledger.query('UPDATE channel SET refund_atomic = 0 WHERE id = $1', [id])).rejects.toThrow(
    'the open refund of channel',
  );
  // The contract has now counted the refund, and knows what is left.
  await ledger.query('UPDATE channel SET refund_nonce = 1 WHERE id = $1', [id]);
  expect(await charge(await claim(id, total))).toBe('settled');
});

test('simultaneous refund requests for many channels of one wallet get one promise', async () => {
  const wallet = `0x${'7'.repeat(40)}`;
  const ids: string[] = [];
  for (let count = 0; count < 4; count += 1) ids.push(await newChannel({ payer: wallet }));
  const holder = await ledger.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT FROM channel WHERE payer = $1 FOR UPDATE', [wallet]);
  const asked = ids.map((channelId) =>
    refundBook(opened.app).promise({ channelId, totalAtomic: 0n, atomic: null, isUsable: true }),
  );
  // All are in progress before the first of them can be promised.
  await expect
    .poll(async () => {
      const { rows } = await ledger.query(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
      );
      return rows.length;
    })
    .toBe(ids.length);
  await holder.query('COMMIT');
  holder.release();
  const kinds = (await Promise.all(asked)).map(({ kind }) => kind);
  expect(kinds.toSorted()).toEqual(['promised', 'too_soon', 'too_soon', 'too_soon']);
  const { rows } = await ledger.query('SELECT FROM channel WHERE payer = $1 AND refund_number IS NOT NULL', [
    wallet,
  ]);
  expect(rows).toHaveLength(1);
});

test('a channel that has paid for no call is refunded from 0.10 USDC on, and one that has paid for a call whatever is left', async () => {
  const small = await newChannel({ payer: newPayer(), balance: 99_999n });
  const reason = 'refund_of_unused_channel_too_small';
  expect(await askAll(small)).toEqual({ kind: 'refused', reason });
  const all = { channelId: small, totalAtomic: 0n, atomic: 99_999n, isUsable: true };
  expect(await refundBook(opened.app).promise(all)).toEqual({ kind: 'refused', reason });
  expect(await charge(await claim(small, price))).toBe('settled');
  expect(await askAll(small, price)).toMatchObject({ kind: 'promised', refund: { atomic: 94_999n } });
  const enough = await newChannel({ payer: newPayer(), balance: 100_000n });
  expect(await askAll(enough)).toMatchObject({ kind: 'promised', refund: { atomic: 100_000n } });
});

test('few refunds of channels that have paid for no call are open at once, and others do not wait for them', async () => {
  const network = 'one with many unused channels';
  const unused = await Promise.all(
    Array.from({ length: unearnedRefundsMax.open + 5 }, () => newChannel({ network, payer: newPayer() })),
  );
  const decisions = await Promise.all(unused.map(async (id) => ({ id, ...(await askAll(id)) })));
  const promised = decisions.filter(({ kind }) => kind === 'promised').map(({ id }) => id);
  const busy = decisions.filter(({ kind }) => kind === 'busy').map(({ id }) => id);
  expect([promised.length, busy.length]).toEqual([unearnedRefundsMax.open, 5]);
  const [first = '', second = ''] = promised;
  const [next = '', last = ''] = busy;
  // A promise is repeated all the same.
  expect(await askAll(first)).toMatchObject({ kind: 'promised', isNew: false });
  const used = await newChannel({ network, payer: newPayer(), claimed: price });
  expect((await askAll(used, price)).kind).toBe('promised');
  // There is room again after one is made, and after a payer has withdrawn everything alone.
  await ledger.query('UPDATE channel SET refund_nonce = 1, balance_atomic = 0 WHERE id = $1', [first]);
  expect((await askAll(next)).kind).toBe('promised');
  expect((await askAll(last)).kind).toBe('busy');
  await ledger.query('UPDATE channel SET balance_atomic = 0 WHERE id = $1', [second]);
  expect((await askAll(last)).kind).toBe('promised');
});

test('refunds of channels that have paid for calls are sent first, then the largest, and those that failed last', async () => {
  const network = 'one with refunds of all kinds';
  const ask = async (figures: Figures) => {
    const id = await newChannel({ network, payer: newPayer(), ...figures });
    expect((await askAll(id, figures.claimed)).kind).toBe('promised');
    return id;
  };
  const failed = await ask({ balance: 9_000_000n, claimed: price });
  await ledger.query("UPDATE channel SET refund_sent_at = now() - interval '1 hour' WHERE id = $1", [failed]);
  const unused = await ask({ balance: 100_000n });
  const largeUnused = await ask({ balance: 5_000_000n });
  const small = await ask({ balance: 2n * price, claimed: price });
  const large = await ask({ balance: 1_000_000n, claimed: price });
  const toSend = await refundBook(opened.app).refunding(network, 10);
  expect(toSend.map(({ id }) => id)).toEqual([large, small, largeUnused, unused, failed]);
});

test('idle channels that have paid for no call do not keep the others from being refunded', async () => {
  const network = 'one with idle channels';
  const unused = await newChannel({ network, payer: newPayer() });
  const used = await newChannel({ network, payer: newPayer(), claimed: price });
  const idleSince = (id: string, days: number) =>
    ledger.query('UPDATE channel SET created_at = now() - make_interval(days => $2) WHERE id = $1', [
      id,
      days,
    ]);
  await idleSince(unused, 60);
  await idleSince(used, 40);
  const parties = { receiver: '0x02', receiverAuthorizer: '0x03', token: '0x04' };
  const idle = await refundBook(opened.app).idle(network, parties, 10);
  expect(idle.map(({ id }) => id)).toEqual([used, unused]);
});

/** A channel that has paid for calls, of which a claim has made the newest voucher public. */
async function newPublicChannel(figures: Figures = {}, calls = 2n): Promise<string> {
  const id = await newChannel({ payer: newPayer(), ...figures });
  for (let call = 1n; call <= calls; call += 1n)
    expect(await charge(await claim(id, call * price))).toBe('settled');
  const voucher = { channelId: id, totalAtomic: calls * price };
  expect(await collectionBook(opened.app).takeClaims([voucher])).toEqual(new Set([id]));
  await ledger.query('UPDATE channel SET claimed_atomic = charged_atomic WHERE id = $1', [id]);
  return id;
}

const quietMs = productionTimings.channels.refundUnusedAfterMs;

const passUnused = (id: string, ms: number) =>
  ledger.query(`UPDATE channel SET used_at = used_at - $2 * interval '1 millisecond' WHERE id = $1`, [
    id,
    ms,
  ]);

/** What the contract does with an open refund. */
const make = (id: string) =>
  ledger.query(
    'UPDATE channel SET refund_nonce = refund_nonce + 1, balance_atomic = balance_atomic - refund_atomic WHERE id = $1',
    [id],
  );

const passDay = (id: string) =>
  ledger.query(`UPDATE channel SET refund_asked_at = refund_asked_at - interval '1 day' WHERE id = $1`, [id]);

test('a voucher seen in a claim closes no channel that is in use', async () => {
  const id = await newPublicChannel();
  const before = Date.now();
  const refused = await askAll(id, 2n * price);
  expect(refused).toMatchObject({ kind: 'too_soon', because: 'in_use' });
  const until = refused.kind === 'too_soon' ? refused.until.getTime() : 0;
  expect(until).toBeLessThanOrEqual(Date.now() + quietMs);
  // The next call makes a voucher that only the payer knows, which is refunded at once.
  expect(await charge(await claim(id, 3n * price))).toBe('settled');
  expect(await askAll(id, 2n * price)).toMatchObject({ kind: 'refused' });
  expect(await askAll(id, 3n * price)).toMatchObject({ kind: 'promised', isNew: true });
  expect(until).toBeGreaterThan(before);
});

test('a payer whose voucher is public is refunded once the channel is not used, or while channels close', async () => {
  const [idle, closing] = [await newPublicChannel(), await newPublicChannel()];
  await passUnused(idle, quietMs - 10_000);
  expect(await askAll(idle, 2n * price)).toMatchObject({ kind: 'too_soon', because: 'in_use' });
  await passUnused(idle, 10_000);
  expect(await askAll(idle, 2n * price)).toMatchObject({ kind: 'promised', isNew: true });
  const asked = { channelId: closing, totalAtomic: 2n * price, atomic: null, isUsable: false };
  expect(await refundBook(opened.app).promise(asked)).toMatchObject({ kind: 'promised', isNew: true });
});

test("a refund that a stranger can have asked for is not the payer's refund of the day", async () => {
  const wallet = newPayer();
  const id = await newPublicChannel({ payer: wallet });
  await passUnused(id, quietMs);
  expect(await askAll(id, 2n * price)).toMatchObject({ kind: 'promised', isNew: true });
  await make(id);
  // The payer deposits and calls again, and opens another channel.
  await ledger.query('UPDATE channel SET balance_atomic = 1000000 WHERE id = $1', [id]);
  expect(await charge(await claim(id, 3n * price))).toBe('settled');
  expect(await askAll(id, 3n * price)).toMatchObject({ kind: 'promised', isNew: true });
  const other = await newChannel({ payer: wallet });
  expect(await askAll(other)).toMatchObject({ kind: 'too_soon', because: 'daily' });
});

test('a stranger gets a channel refunded at most once a day, whatever the part', async () => {
  const id = await newPublicChannel({ balance: 2_000_000n });
  await passUnused(id, quietMs);
  const part = { channelId: id, totalAtomic: 2n * price, atomic: 100_000n, isUsable: true };
  expect(await refundBook(opened.app).promise(part)).toMatchObject({ kind: 'promised', isNew: true });
  await make(id);
  for (const atomic of [null, 200_000n])
    expect(await refundBook(opened.app).promise({ ...part, atomic })).toMatchObject({ kind: 'too_soon' });
  await passDay(id);
  expect((await askAll(id, 2n * price)).kind).toBe('promised');
});

test('a voucher that was claimed before the ledger knew of it is public too', async () => {
  const id = await newChannel({ payer: newPayer(), claimed: price });
  await ledger.query('UPDATE channel SET created_at = now() WHERE id = $1', [id]);
  expect(await askAll(id, price)).toMatchObject({ kind: 'too_soon', because: 'in_use' });
});

test('a channel is refunded less than 0.10 USDC only as often as it has paid for the gas', async () => {
  const dust = 1n;
  const id = await newChannel({ payer: newPayer(), balance: 2n * price + dust });
  for (const call of [1n, 2n]) expect(await charge(await claim(id, call * price))).toBe('settled');
  const refunds = (2n * price) / paidForEachRefund;
  for (let made = 0n; made < refunds; made += 1n) {
    expect(await askAll(id, 2n * price)).toMatchObject({ kind: 'promised', refund: { number: made } });
    await make(id);
    await passDay(id);
    // Anybody can put a millionth of a dollar into a channel.
    await ledger.query('UPDATE channel SET balance_atomic = balance_atomic + $2 WHERE id = $1', [id, dust]);
  }
  const reason = 'refund_of_unused_channel_too_small';
  expect(await askAll(id, 2n * price)).toEqual({ kind: 'refused', reason });
  await ledger.query('UPDATE channel SET balance_atomic = balance_atomic + 100000 WHERE id = $1', [id]);
  expect((await askAll(id, 2n * price)).kind).toBe('promised');
});

test('refunds that their channels have not paid for are limited in an hour, and others are not', async () => {
  const network = 'one with many deposits in an hour';
  for (let count = 0; count < unearnedRefundsMax.perHour; count += 1) {
    const id = await newChannel({ network, payer: newPayer() });
    expect((await askAll(id)).kind).toBe('promised');
    await make(id);
  }
  const next = await newChannel({ network, payer: newPayer() });
  expect(await askAll(next)).toMatchObject({ kind: 'too_soon', because: 'unearned' });
  const used = await newChannel({ network, payer: newPayer(), claimed: price });
  expect((await askAll(used, price)).kind).toBe('promised');
  await ledger.query(
    "UPDATE channel SET refund_asked_at = refund_asked_at - interval '1 hour' WHERE network = $1",
    [network],
  );
  expect((await askAll(next)).kind).toBe('promised');
});
