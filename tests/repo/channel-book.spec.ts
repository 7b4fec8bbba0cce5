import { collectionBook } from '@/lib/ledger/channel-collection';
import type { VoucherCharge } from '@/lib/payments/channels/channel';
import { type ChannelLedger, openChannelLedger, payer, price } from '../support/channel-ledger';
import { expect, test } from '../support/without-browser';

// Channels in the ledger, without a chain. The tests share a database, and each has a channel of its own.

let { opened, ledger, newChannel, claim, charge, close } = {} as ChannelLedger;
test.beforeAll(async () => {
  ({ opened, ledger, newChannel, claim, charge, close } = await openChannelLedger());
});
test.afterAll(() => close());

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

test('charging a call again changes nothing and tells what was decided', async () => {
  const id = await newChannel();
  const [paid, refused] = [await claim(id, price), await claim(id, 3n * price)];
  expect([await charge(paid), await charge(refused)]).toEqual(['settled', 'refused']);
  const before = [await channelRow(id), await postingsOf(id)];
  expect([await charge(paid), await charge(refused)]).toEqual(['settled', 'refused']);
  expect([await channelRow(id), await postingsOf(id)]).toEqual(before);
});

test('a total that skips ahead, or is not one price above the last one, is refused and frees its authorization', async () => {
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

/** Moves a call back to `unknown`, as a reorganization does that removes its deposit. */
const fallBack = (paidCallId: string) =>
  ledger.query(
    "UPDATE paid_call SET state = 'unknown', reorganizations = reorganizations + 1, moved_at = now() WHERE id = $1",
    [paidCallId],
  );

test('a charge made before a reorganization stays, whatever the channel holds and owes by then', async () => {
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

test('the collector claims the price of a call that waits for its refund, however little it is', async () => {
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

test('one of many simultaneous vouchers for one total pays', async () => {
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

test('a total never passes the balance, less what is being withdrawn', async () => {
  const full = await newChannel({ balance: price });
  expect(await charge(await claim(full, price))).toBe('settled');
  expect(await charge(await claim(full, 2n * price))).toBe('refused');
  const armed = await newChannel({ balance: 2n * price, withdrawing: price + 1n });
  expect(await charge(await claim(armed, price))).toBe('refused');
  const partly = await newChannel({ balance: 2n * price, withdrawing: price });
  expect(await charge(await claim(partly, price))).toBe('settled');
});

test('a channel begins where the chain has it, not where the client says', async () => {
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

test('the database lowers no total, forgets no channel and takes no negative amount', async () => {
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
