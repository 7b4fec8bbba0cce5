import { randomBytes } from 'node:crypto';
import { expect, test } from '@playwright/test';
import type pg from 'pg';
import { channelBook } from '@/lib/ledger/channel-book';
import { collectionBook } from '@/lib/ledger/channel-collection';
import { refundBook } from '@/lib/ledger/channel-refunds';
import type { VoucherCharge } from '@/lib/payments/channels/book';
import { unusedRefundsMax } from '@/lib/payments/channels/refund-rules';
import { type LedgerApp, openLedgerApp } from '../support/ledger-app';

// Channels in the ledger, without a chain. The tests share a database, and each has a channel of its own.

let opened: LedgerApp;
let ledger: pg.Pool;
test.beforeAll(async () => {
  opened = await openLedgerApp();
  ledger = opened.ledger;
});
test.afterAll(() => opened.close());

const payer = `0x${'1'.repeat(40)}`;
const price = 5_000n;

interface Figures {
  readonly network?: string;
  readonly payer?: string;
  readonly balance?: bigint;
  readonly withdrawing?: bigint;
  readonly claimed?: bigint;
  readonly opened?: bigint;
  readonly readAt?: Date;
}

async function newChannel({
  network = 'base',
  payer: of = payer,
  balance = 1_000_000n,
  withdrawing = 0n,
  claimed = 0n,
  opened: from = claimed,
  readAt = new Date(),
}: Figures = {}) {
  const id = `0x${randomBytes(32).toString('hex')}`;
  await ledger.query(
    `INSERT INTO channel (id, network, payer, receiver, receiver_authorizer, token, withdraw_delay, salt, balance_atomic,
       withdrawing_atomic, claimed_atomic, read_at_block, read_at, opened_atomic, charged_atomic, created_at)
     VALUES ($1, $8, $2, '0x02', '0x03', '0x04', 86400, '0x00', $3, $4, $5, 1, $6, $7, $7, now())`,
    [id, of, balance, withdrawing, claimed, readAt, from, network],
  );
  return id;
}

/** Claims a call that is to be paid by a voucher for this total. */
async function claim(channelId: string, total: bigint): Promise<VoucherCharge> {
  const paidCallId = `pc_${randomBytes(12).toString('hex')}`;
  await ledger.query(
    `INSERT INTO paid_call (id, operation, rail, network, asset, payer, "authorization", amount_atomic, pay_to,
       request_hash, state, payment, valid_before, attempt_at, created_at, moved_at, channel_id, idempotency_key_hash)
     VALUES ($1, 'uploads.create', 'x402', 'base', 'USDC', $2, $3, $4, 'us', 'request', 'settling', 'payment', now(), now(),
       now(), now(), $5, $6)`,
    [paidCallId, payer, `${channelId}:${total}`, price, channelId, randomBytes(32)],
  );
  const readSince = new Date(Date.now() - 60_000);
  const signature = `signature of ${total}`;
  return { paidCallId, channelId, maxClaimableAtomic: total, signature, readSince, isFlushedLater: true };
}

const charge = (voucher: VoucherCharge) => channelBook(opened.app).charge(voucher);

async function channelRow(id: string) {
  const { rows } = await ledger.query(
    'SELECT charged_atomic::int AS charged, signature FROM channel WHERE id = $1',
    [id],
  );
  return rows[0];
}

async function postingsOf(channelId: string) {
  const { rows } = await ledger.query(
    `SELECT kind, debit_account AS debit, credit_account AS credit, amount_atomic::int AS amount FROM posting
     WHERE paid_call_id IN (SELECT id FROM paid_call WHERE channel_id = $1) ORDER BY posting.id`,
    [channelId],
  );
  return rows;
}

test('a voucher raises the total by the price, settles its call and is posted as unclaimed', async () => {
  const id = await newChannel();
  const voucher = await claim(id, price);
  expect(await charge(voucher)).toBe('settled');
  expect(await channelRow(id)).toEqual({ charged: 5_000, signature: 'signature of 5000' });
  expect(await postingsOf(id)).toEqual([
    { kind: 'settled', debit: 'chain:base:unclaimed', credit: `prepaid:${payer}`, amount: 5_000 },
  ]);
  await ledger.query(`UPDATE paid_call SET state = 'delivered', moved_at = now() WHERE id = $1`, [
    voucher.paidCallId,
  ]);
  expect((await postingsOf(id))[1]).toMatchObject({
    debit: `prepaid:${payer}`,
    credit: 'revenue:uploads.create',
  });
});

test('charging a call again changes nothing and tells what was decided (C5)', async () => {
  const id = await newChannel();
  const [paid, refused] = [await claim(id, price), await claim(id, 3n * price)];
  expect([await charge(paid), await charge(refused)]).toEqual(['settled', 'refused']);
  const before = [await channelRow(id), await postingsOf(id)];
  expect([await charge(paid), await charge(refused)]).toEqual(['settled', 'refused']);
  expect([await channelRow(id), await postingsOf(id)]).toEqual(before);
});

test('a total that skips ahead, or is not one price above the last one, is refused and frees its authorization (V04)', async () => {
  const id = await newChannel();
  for (const total of [0n, price - 1n, price + 1n, 2n * price, 2n ** 128n - 1n]) {
    const voucher = await claim(id, total);
    expect(await charge(voucher), String(total)).toBe('refused');
    const { rows } = await ledger.query(
      `SELECT "authorization", refusal_final_at IS NOT NULL AS final, idempotency_key_hash AS key FROM paid_call WHERE id = $1`,
      [voucher.paidCallId],
    );
    expect(rows).toEqual([{ authorization: `${id}:${total}:${voucher.paidCallId}`, final: true, key: null }]);
    // The same voucher may be used again: its unique key is free.
    await claim(id, total);
  }
  expect(await channelRow(id)).toEqual({ charged: 0, signature: null });
  expect(await postingsOf(id)).toEqual([]);
});

test('a refused call does not take the outcome of another call that its voucher paid for', async () => {
  const id = await newChannel();
  const early = await claim(id, 2n * price);
  expect(await charge(early)).toBe('refused');
  expect(await charge(await claim(id, price))).toBe('settled');
  expect(await charge(await claim(id, 2n * price))).toBe('settled');
  expect(await charge(early)).toBe('refused');
});

test('what is promised back cannot be spent, whatever is asked at once', async () => {
  // It has already paid for a call.
  const id = await newChannel({ balance: 3n * price, claimed: price });
  const first = await claim(id, 2n * price);
  const askAll = { channelId: id, totalAtomic: price, atomic: null };
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

test('of refunds of many channels of one wallet that are asked for at once, one is promised (V21)', async () => {
  const wallet = `0x${'7'.repeat(40)}`;
  const ids: string[] = [];
  for (let count = 0; count < 4; count += 1) ids.push(await newChannel({ payer: wallet }));
  const holder = await ledger.connect();
  await holder.query('BEGIN');
  await holder.query('SELECT FROM channel WHERE payer = $1 FOR UPDATE', [wallet]);
  const asked = ids.map((channelId) =>
    refundBook(opened.app).promise({ channelId, totalAtomic: 0n, atomic: null }),
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

/** A payer of its own for each channel, because a wallet gets one refund a day. */
const newPayer = () => `0x${randomBytes(20).toString('hex')}`;

const askAll = (channelId: string, totalAtomic = 0n) =>
  refundBook(opened.app).promise({ channelId, totalAtomic, atomic: null });

test('a channel that has paid for no call is refunded from 0.10 USDC on, and one that has paid for a call whatever is left', async () => {
  const small = await newChannel({ payer: newPayer(), balance: 99_999n });
  const reason = 'refund_of_unused_channel_too_small';
  expect(await askAll(small)).toEqual({ kind: 'refused', reason });
  const all = { channelId: small, totalAtomic: 0n, atomic: 99_999n };
  expect(await refundBook(opened.app).promise(all)).toEqual({ kind: 'refused', reason });
  expect(await charge(await claim(small, price))).toBe('settled');
  expect(await askAll(small, price)).toMatchObject({ kind: 'promised', refund: { atomic: 94_999n } });
  const enough = await newChannel({ payer: newPayer(), balance: 100_000n });
  expect(await askAll(enough)).toMatchObject({ kind: 'promised', refund: { atomic: 100_000n } });
});

test('few refunds of channels that have paid for no call are open at once, and others do not wait for them', async () => {
  const network = 'one with many unused channels';
  const unused = await Promise.all(
    Array.from({ length: unusedRefundsMax + 5 }, () => newChannel({ network, payer: newPayer() })),
  );
  const decisions = await Promise.all(unused.map(async (id) => ({ id, ...(await askAll(id)) })));
  const promised = decisions.filter(({ kind }) => kind === 'promised').map(({ id }) => id);
  const busy = decisions.filter(({ kind }) => kind === 'busy').map(({ id }) => id);
  expect([promised.length, busy.length]).toEqual([unusedRefundsMax, 5]);
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

/** Moves a call back to `unknown`, as a reorganization does that removes its deposit. */
const fallBack = (paidCallId: string) =>
  ledger.query(
    "UPDATE paid_call SET state = 'unknown', reorganizations = reorganizations + 1, moved_at = now() WHERE id = $1",
    [paidCallId],
  );

test('what was charged before a reorganization stays charged, whatever the channel holds and owes by then (V17)', async () => {
  for (const now of [
    'withdrawing_atomic = balance_atomic',
    'balance_atomic = 0',
    "read_at = now() - interval '1 day'",
    'charged_atomic = charged_atomic + 6000000',
    'refund_atomic = balance_atomic, refund_number = refund_nonce',
    'claimed_atomic = charged_atomic + 1',
  ]) {
    const id = await newChannel();
    const voucher = await claim(id, price);
    expect(await charge(voucher), now).toBe('settled');
    await ledger.query(`UPDATE channel SET ${now} WHERE id = $1`, [id]);
    const before = await channelRow(id);
    await fallBack(voucher.paidCallId);
    expect(await charge(voucher), now).toBe('settled');
    expect(await channelRow(id), now).toEqual(before);
    expect(
      (await postingsOf(id)).map(({ kind }) => kind),
      now,
    ).toEqual(['settled', 'settled_reversed', 'settled']);
  }
});

/** Whether the next claim includes the channel. */
async function isToBeClaimed(id: string, { isClosing }: { isClosing: boolean }): Promise<boolean> {
  const due = await collectionBook(opened.app).due('base', { limit: 50, isClosing });
  return due.some((channel) => channel.id === id);
}

test('a service that closes its channels claims at once what is worth a claim', async () => {
  const id = await newChannel();
  expect(await charge(await claim(id, price))).toBe('settled');
  expect(await isToBeClaimed(id, { isClosing: true })).toBe(false);
  expect(await charge(await claim(id, 2n * price))).toBe('settled');
  expect(await isToBeClaimed(id, { isClosing: false })).toBe(false);
  expect(await isToBeClaimed(id, { isClosing: true })).toBe(true);
});

test('of a call that waits for its refund, the price is claimed, however little it is', async () => {
  const id = await newChannel();
  const { paidCallId, ...voucher } = await claim(id, price);
  expect(await charge({ paidCallId, ...voucher })).toBe('settled');
  const isDue = () => isToBeClaimed(id, { isClosing: false });
  expect(await isDue()).toBe(false);
  await ledger.query("UPDATE paid_call SET state = 'needs_attention', moved_at = now() WHERE id = $1", [
    paidCallId,
  ]);
  expect(await isDue()).toBe(true);
  await ledger.query('UPDATE channel SET claimed_atomic = $2 WHERE id = $1', [id, price]);
  expect(await isDue()).toBe(false);
  // The refund makes only the price of that call due for a claim.
  expect(await charge(await claim(id, 2n * price))).toBe('settled');
  expect(await isDue()).toBe(false);
});

test('of many vouchers for one total at once, one pays (V01, C3)', async () => {
  const id = await newChannel();
  const voucher = await claim(id, price);
  const others = await Promise.all(
    Array.from({ length: 9 }, async (_, index) => {
      const { paidCallId, ...rest } = await claim(id, price + BigInt(index + 1) * 10n * price);
      return { ...rest, paidCallId, maxClaimableAtomic: price };
    }),
  );
  const decisions = await Promise.all([voucher, ...others].map(charge));
  expect(decisions.filter((one) => one === 'settled')).toHaveLength(1);
  expect(decisions.filter((one) => one === 'refused')).toHaveLength(9);
  expect(await channelRow(id)).toMatchObject({ charged: 5_000 });
  expect(await postingsOf(id)).toHaveLength(1);
});

test('vouchers that are charged together are judged one after the other in each channel', async () => {
  const [one, other] = [await newChannel(), await newChannel({ balance: 3n * price })];
  // The first two are sent alone. Among the others, which share a statement, the highest totals come first.
  const steps = [1n, 2n, 8n, 7n, 6n, 5n, 4n, 3n];
  const vouchers: VoucherCharge[] = [];
  for (const step of steps) vouchers.push(await claim(one, step * price), await claim(other, step * price));
  const decisions = await Promise.all(vouchers.map(charge));
  const decidedOf = (id: string) =>
    vouchers.flatMap(({ channelId }, index) => (channelId === id ? [decisions[index]] : []));
  expect(decidedOf(one)).toEqual(steps.map(() => 'settled'));
  expect(decidedOf(other)).toEqual(steps.map((step) => (step <= 3n ? 'settled' : 'refused')));
  expect(await channelRow(one)).toEqual({ charged: 40_000, signature: 'signature of 40000' });
  expect(await channelRow(other)).toMatchObject({ charged: 15_000 });
  expect([(await postingsOf(one)).length, (await postingsOf(other)).length]).toEqual([8, 3]);
});

test('a total never passes the balance, less what is being withdrawn (V06, V08, C1)', async () => {
  const full = await newChannel({ balance: price });
  expect(await charge(await claim(full, price))).toBe('settled');
  expect(await charge(await claim(full, 2n * price))).toBe('refused');
  const armed = await newChannel({ balance: 2n * price, withdrawing: price + 1n });
  expect(await charge(await claim(armed, price))).toBe('refused');
  const partly = await newChannel({ balance: 2n * price, withdrawing: price });
  expect(await charge(await claim(partly, price))).toBe('settled');
});

test('a channel begins where the chain has it, not where the client says (V05)', async () => {
  const id = await newChannel({ claimed: 50_000n });
  for (const total of [50_001n, price]) expect(await charge(await claim(id, total))).toBe('refused');
  expect(await charge(await claim(id, 50_000n + price))).toBe('settled');
});

test('nothing is charged while more was claimed than we know of, or the figures of the chain are old', async () => {
  const behind = await newChannel({ claimed: 2n * price, opened: 0n });
  expect(await charge(await claim(behind, price))).toBe('refused');
  const old = await newChannel({ readAt: new Date(Date.now() - 120_000) });
  expect(await charge(await claim(old, price))).toBe('refused');
});

test('the database lowers no total, forgets no channel and takes no negative amount (C2)', async () => {
  const id = await newChannel();
  expect(await charge(await claim(id, price))).toBe('settled');
  for (const [statement, refusal] of [
    ['UPDATE channel SET charged_atomic = charged_atomic - 1 WHERE id = $1', /may not be charged less/],
    ['UPDATE channel SET opened_atomic = 1 WHERE id = $1', /may not be charged less/],
    ['UPDATE channel SET balance_atomic = -1 WHERE id = $1', /channel_amounts_not_negative/],
    ['DELETE FROM channel WHERE id = $1', /is refused|append-only|not allowed|may not/i],
  ] as const)
    await expect(ledger.query(statement, [id])).rejects.toThrow(refusal);
});
