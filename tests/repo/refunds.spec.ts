import pg from 'pg';
import { legalRefundMoves, type RefundState, refundReasons } from '@/lib/ledger/refund-states';
import type { PaidCallState } from '@/lib/ledger/states';
import { migratedDatabase, type NewDatabase } from '../support/new-database';
import { expect, test } from '../support/without-browser';
import { finalize, insertRefund, moveRefund, type RefundChanges, refund } from './refunds/rows';

/** A ledger without a call, in a database of its own. The tests share it: each has calls of its own. */
let ledger: pg.Pool;
let database: NewDatabase;

test.beforeAll(async () => {
  database = await migratedDatabase();
  ledger = new pg.Pool({ connectionString: database.url });
});
test.afterAll(async () => {
  await ledger.end();
  await database.drop();
});

const refundStates = Object.keys(legalRefundMoves) as RefundState[];

/** A call of 5,000 by 0x1 that is in a paid state; its payment is final when it came over a chain. */
async function sell(
  id: string,
  {
    to = 'needs_attention',
    network = 'base',
    payer = '0x1',
  }: { to?: PaidCallState; network?: string; payer?: string } = {},
) {
  await ledger.query(
    `INSERT INTO paid_call (id, operation, rail, network, asset, payer, "authorization", amount_atomic, pay_to,
       request_hash, state, payment, valid_before, attempt_at, created_at, moved_at)
     VALUES ($1, 'render.pdf', 'x402', $2, 'USDC', $3, $1, 5000, 'us', 'request', 'settling', 'payment', now(), now(),
       now(), '2026-01-01')`,
    [id, network, payer],
  );
  await ledger.query("UPDATE paid_call SET state = 'settled' WHERE id = $1", [id]);
  if (to !== 'settled') await ledger.query('UPDATE paid_call SET state = $2 WHERE id = $1', [id, to]);
  if (network !== 'account') await finalize(ledger, id);
}

async function openAccount(id: string): Promise<void> {
  await ledger.query('INSERT INTO account (id, created_at) VALUES ($1, now())', [id]);
}

/** The refund's posting, and the state of the call. */
async function outcomeOf(callId: string): Promise<string[]> {
  const { rows } = await ledger.query<{ line: string }>(
    `SELECT concat_ws(' ', debit_account, '>', credit_account, posting.amount_atomic, 'at', extract(epoch FROM at - '2026-01-02')::int,
       'and', state, 'for', move_note) AS line
     FROM paid_call JOIN posting ON paid_call_id = paid_call.id AND kind = 'refunded' WHERE paid_call.id = $1`,
    [callId],
  );
  return rows.map(({ line }) => line);
}

async function codeOf(work: Promise<unknown>): Promise<string | undefined> {
  return work.then(
    () => 'done',
    ({ code }: { code?: string }) => code,
  );
}

// PostgreSQL's codes for these errors.
const checkViolation = '23514';
const uniqueViolation = '23505';
const restrictViolation = '23001';

test('a refund moves its call and posts its money when it is confirmed, and not before', async () => {
  await sell('by-transfer');
  await insertRefund(ledger, 'by-transfer', { reason: 'not_delivered' });
  await moveRefund(ledger, 'rf by-transfer', 'sent');
  expect(await outcomeOf('by-transfer')).toEqual([]);
  await moveRefund(ledger, 'rf by-transfer', 'confirmed');
  expect(await outcomeOf('by-transfer')).toEqual([
    'prepaid:0x1 > chain:base:treasury 5000 at 2 and refunded for not_delivered',
  ]);
  const { rows } = await ledger.query<{ line: string }>(
    `SELECT concat_ws(' ', COALESCE(from_state::text, 'nothing'), '>', to_state, transaction_hash) AS line FROM refund_move
     WHERE refund_id = 'rf by-transfer' ORDER BY id`,
  );
  expect(rows.map(({ line }) => line)).toEqual([
    'nothing > requested',
    'requested > sent hash of rf by-transfer',
    'sent > confirmed hash of rf by-transfer',
  ]);
});

for (const state of ['delivered', 'kept'] as const) {
  test(`the refund of a ${state} call takes its revenue back`, async () => {
    await sell(`was-${state}`, { to: state });
    await refund(ledger, `was-${state}`);
    expect(await outcomeOf(`was-${state}`)).toEqual([
      'revenue:render.pdf > chain:base:treasury 5000 at 2 and refunded for other',
    ]);
  });
}

test('a refund into an account is in its balance', async () => {
  await openAccount('acct_1');
  await sell('into-account');
  const into = { method: 'account', network: 'account', recipient: 'acct_1' } as const;
  await moveRefund(ledger, await insertRefund(ledger, 'into-account', into), 'confirmed');
  expect(await outcomeOf('into-account')).toEqual([
    'prepaid:0x1 > account:acct_1 5000 at 1 and refunded for other',
  ]);
  await sell('from-account', { network: 'account', payer: 'acct_1', to: 'delivered' });
  await moveRefund(ledger, await insertRefund(ledger, 'from-account', { method: 'account' }), 'confirmed');
  expect(await outcomeOf('from-account')).toEqual([
    'revenue:render.pdf > account:acct_1 5000 at 1 and refunded for other',
  ]);
  const { rows } = await ledger.query(
    "SELECT balance_atomic FROM account_balance WHERE account_id = 'acct_1'",
  );
  expect(rows).toEqual([{ balance_atomic: '10000' }]);
});

test('a call is not refunded without a refund', async () => {
  await sell('alone');
  expect(await codeOf(ledger.query("UPDATE paid_call SET state = 'refunded' WHERE id = 'alone'"))).toBe(
    checkViolation,
  );
  await insertRefund(ledger, 'alone');
  expect(await codeOf(ledger.query("UPDATE paid_call SET state = 'refunded' WHERE id = 'alone'"))).toBe(
    checkViolation,
  );
});

test('a call has one refund at a time, and none after a confirmed one, however many are begun at once', async () => {
  await sell('raced');
  const race = (round: number) =>
    Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        codeOf(insertRefund(ledger, 'raced', { id: `raced ${round}.${index}`, round: round * 10 + index })),
      ),
    );
  const began = async (round: number) => (await race(round)).filter((code) => code === 'done').length;
  expect(await began(0)).toBe(1);
  await ledger.query("UPDATE refund SET state = 'cancelled' WHERE paid_call_id = 'raced'");
  expect(await began(1)).toBe(1);
  const { rows } = await ledger.query(
    "SELECT id FROM refund WHERE paid_call_id = 'raced' AND state = 'requested'",
  );
  await moveRefund(ledger, rows[0].id, 'sent');
  await moveRefund(ledger, rows[0].id, 'confirmed');
  // The call is refunded by now.
  expect([...new Set(await race(2))]).toEqual([checkViolation]);
});

test('a transfer is one refund', async () => {
  for (const id of ['one', 'other', 'third']) {
    await sell(id);
    await moveRefund(ledger, await insertRefund(ledger, id), 'sent', { hash: 'shared' });
  }
  await moveRefund(ledger, 'rf one', 'confirmed', { hash: 'shared', index: 3 });
  expect(await codeOf(moveRefund(ledger, 'rf other', 'confirmed', { hash: 'shared', index: 3 }))).toBe(
    uniqueViolation,
  );
  await moveRefund(ledger, 'rf third', 'confirmed', { hash: 'shared', index: 4 });
});

test('the database refuses a refund that its call does not allow', async () => {
  await openAccount('open');
  await openAccount('another');
  await ledger.query("INSERT INTO account (id, created_at, revoked_at) VALUES ('revoked', now(), now())");
  await sell('paid');
  await sell('delivered', { to: 'delivered' });
  await sell('settled', { to: 'settled' });
  await sell('credited', { to: 'delivered' });
  await ledger.query("UPDATE paid_call SET credited_account = 'open' WHERE id = 'credited'");
  await sell('not-final');
  await ledger.query("UPDATE settlement_transaction SET final_at = NULL WHERE id = 'st not-final'");
  await sell('on-account', { network: 'account', payer: 'open' });
  const onAccount = { method: 'account', network: 'account' } as const;
  const refused: readonly (readonly [string, RefundChanges])[] = [
    ['settled', {}],
    ['credited', {}],
    ['not-final', {}],
    ['delivered', { reason: 'not_delivered' }],
    ['paid', { amount: 4_999 }],
    ['paid', { asset: 'EURC' }],
    ['paid', { recipient: '0x2' }],
    ['paid', { network: 'polygon' }],
    ['paid', { reason: 'because' }],
    ['paid', { state: 'sent' }],
    ['paid', { state: 'confirmed' }],
    ['paid', { ...onAccount, recipient: 'revoked' }],
    ['paid', { ...onAccount, recipient: 'missing' }],
    ['paid', { method: 'account', recipient: 'open' }],
    ['on-account', { method: 'wallet' }],
    ['on-account', { ...onAccount, recipient: 'another' }],
  ];
  for (const [callId, changes] of refused) {
    const label = `${callId} ${JSON.stringify(changes)}`;
    expect(await codeOf(insertRefund(ledger, callId, changes)), label).toBe(checkViolation);
  }
  // The same calls, with a valid refund.
  for (const callId of ['paid', 'delivered']) await insertRefund(ledger, callId);
  await insertRefund(ledger, 'on-account', onAccount);
});

/** A channel with 10,000 claimed before it was first read and 30,000 charged since. @returns a call that it paid for */
async function sellByChannel(channelId: string, { total, to }: { total: number; to: PaidCallState }) {
  await ledger.query(
    `INSERT INTO channel (id, network, payer, receiver, receiver_authorizer, token, withdraw_delay, salt, balance_atomic,
       withdrawing_atomic, claimed_atomic, read_at_block, read_at, opened_atomic, charged_atomic, created_at)
     VALUES ($1, 'base', '0x1', '0x02', '0x03', '0x04', 86400, '0x00', 1000000, 0, 10000, 1, now(), 10000, 40000, now())`,
    [channelId],
  );
  const id = `call of ${channelId}`;
  await ledger.query(
    `INSERT INTO paid_call (id, operation, rail, network, asset, payer, "authorization", amount_atomic, pay_to,
       request_hash, state, payment, valid_before, attempt_at, created_at, moved_at, channel_id)
     VALUES ($1, 'render.pdf', 'x402', 'base', 'USDC', '0x1', $2, 5000, 'us', 'request', 'settling', 'payment', now(), now(),
       now(), '2026-01-01', $3)`,
    [id, `${channelId}:${total}`, channelId],
  );
  for (const state of ['settled', to])
    await ledger.query('UPDATE paid_call SET state = $2::paid_call_state WHERE id = $1', [id, state]);
  return id;
}

/** Sets what is claimed from a channel, by the newest block and by a final one. */
async function claimOf(channelId: string, { seen, final }: { seen: number; final: number }) {
  await ledger.query('UPDATE channel SET claimed_atomic = $2 WHERE id = $1', [channelId, seen]);
  if (final > 0)
    await ledger.query(
      `INSERT INTO channel_event (network, block_number, transaction_hash, log_index, name, channel_id, amount_atomic, at)
       VALUES ('base', 7, $1 || ' ' || $2, 0, 'Claimed', $1, $2::bigint, now())`,
      [channelId, final],
    );
}

for (const to of ['needs_attention', 'kept', 'delivered'] as const) {
  test(`a ${to} call of a payment channel is refunded when claims of final blocks cover its total, and once`, async () => {
    const channelId = `channel of ${to}`;
    const id = await sellByChannel(channelId, { total: 20_000, to });
    const begin = () => codeOf(insertRefund(ledger, id));
    expect(await begin(), 'nothing is claimed').toBe(checkViolation);
    await claimOf(channelId, { seen: 20_000, final: 0 });
    expect(await begin(), 'the claim is not final').toBe(checkViolation);
    await claimOf(channelId, { seen: 20_000, final: 9_999 });
    expect(await begin(), 'less is final').toBe(checkViolation);
    await claimOf(channelId, { seen: 19_999, final: 1 });
    expect(await begin(), 'the chain has less than its events').toBe(checkViolation);
    await claimOf(channelId, { seen: 20_000, final: 0 });
    await refund(ledger, id);
    const from = to === 'needs_attention' ? 'prepaid:0x1' : 'revenue:render.pdf';
    expect(await outcomeOf(id)).toEqual([`${from} > chain:base:treasury 5000 at 2 and refunded for other`]);
    expect(await codeOf(insertRefund(ledger, id, { id: 'again', round: 1 }))).toBe(checkViolation);
  });
}

test('a call that came with the deposit of its payment channel is refunded when both its claim and its deposit are final', async () => {
  const channelId = 'channel with a deposit';
  const id = await sellByChannel(channelId, { total: 15_000, to: 'delivered' });
  await finalize(ledger, id);
  const begin = () => codeOf(insertRefund(ledger, id));
  expect(await begin(), 'nothing is claimed').toBe(checkViolation);
  await claimOf(channelId, { seen: 15_000, final: 5_000 });
  await ledger.query('UPDATE settlement_transaction SET final_at = NULL WHERE id = $1', [`st ${id}`]);
  expect(await begin(), 'its deposit is not final').toBe(checkViolation);
  await ledger.query('UPDATE settlement_transaction SET final_at = now() WHERE id = $1', [`st ${id}`]);
  expect(await begin()).toBe('done');
});

test('a call of a payment channel is refunded although a deposit of its own was replaced by that of another', async () => {
  const id = await sellByChannel('channel with another deposit', { total: 15_000, to: 'delivered' });
  await claimOf('channel with another deposit', { seen: 15_000, final: 5_000 });
  await ledger.query(
    `INSERT INTO settlement_transaction (id, network, hash, payments, state, signer, nonce, created_at)
     VALUES ('st replaced', 'base', 'replaced', 1, 'prepared', 'signer', 1, now())`,
  );
  await ledger.query("UPDATE settlement_transaction SET state = 'replaced' WHERE id = 'st replaced'");
  await ledger.query("UPDATE paid_call SET settlement_id = 'st replaced' WHERE id = $1", [id]);
  await insertRefund(ledger, id);
});

/** Delivers deposits late in one statement, as an instance does that was taken for dead. @returns how many were credited */
async function creditLate(ids: readonly string[]): Promise<number> {
  const { rowCount } = await ledger.query(
    "UPDATE paid_call SET state = 'delivered', credited_account = 'late' WHERE id = ANY ($1)",
    [ids],
  );
  return rowCount ?? 0;
}

test('a deposit that is being refunded is not credited, however late its delivery comes', async () => {
  await openAccount('late');
  for (const id of ['untouched', 'refunding', 'not-refunded']) await sell(id);
  await insertRefund(ledger, 'refunding');
  await moveRefund(ledger, await insertRefund(ledger, 'not-refunded'), 'cancelled');
  // The other deposits in the statement are credited.
  expect(await creditLate(['untouched', 'refunding', 'not-refunded'])).toBe(2);
  await moveRefund(ledger, 'rf refunding', 'sent');
  expect(await creditLate(['refunding'])).toBe(0);
  await moveRefund(ledger, 'rf refunding', 'confirmed');
  expect(await outcomeOf('refunding')).toEqual([
    'prepaid:0x1 > chain:base:treasury 5000 at 2 and refunded for other',
  ]);
});

test('the second of a refund and a late credit that meet sees the first', async () => {
  await openAccount('met');
  const hold = async (sql: string, id: string) => {
    const client = await ledger.connect();
    await client.query('BEGIN');
    await client.query(sql, [id]);
    return async () => {
      await client.query('COMMIT');
      client.release();
    };
  };
  const waiting = async () => {
    const { rows } = await ledger.query(
      "SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    return rows.length;
  };
  await sell('refunded first');
  const refund = await hold(
    `INSERT INTO refund (id, paid_call_id, round, method, state, network, asset, recipient, amount_atomic, reason, check_at,
       requested_at, moved_at)
     SELECT 'rf ' || id, id, 0, 'transfer', 'requested', network, asset, payer, amount_atomic, 'other', now(), now(), now()
     FROM paid_call WHERE id = $1`,
    'refunded first',
  );
  const credit = creditLate(['refunded first']);
  await expect.poll(waiting).toBe(1);
  await refund();
  expect(await credit).toBe(0);

  await sell('credited first');
  const credited = await hold(
    "UPDATE paid_call SET state = 'delivered', credited_account = 'met' WHERE id = $1",
    'credited first',
  );
  const refunding = codeOf(insertRefund(ledger, 'credited first'));
  await expect.poll(waiting).toBe(1);
  await credited();
  expect(await refunding).toBe(checkViolation);
});

test('the database knows the legal moves of refunds, and refuses every other one', async () => {
  const { rows } = await ledger.query<{ move: string }>(
    `SELECT from_state || ' -> ' || to_state AS move FROM legal_refund_move`,
  );
  const expected = refundStates.flatMap((from) => legalRefundMoves[from].map((to) => `${from} -> ${to}`));
  expect(rows.map(({ move }) => move).sort()).toEqual(expected.sort());
  const wayTo: Readonly<Record<RefundState, readonly RefundState[]>> = {
    requested: [],
    sent: ['sent'],
    confirmed: ['sent', 'confirmed'],
    failed: ['sent', 'failed'],
    cancelled: ['cancelled'],
  };
  for (const from of refundStates) {
    for (const to of refundStates.filter((state) => state !== from)) {
      const callId = `${from} to ${to}`;
      await sell(callId);
      const id = await insertRefund(ledger, callId);
      for (const step of wayTo[from]) await moveRefund(ledger, id, step);
      // Only refunds that are posted to an account are confirmed without being sent.
      const isLegal = legalRefundMoves[from].includes(to) && callId !== 'requested to confirmed';
      const isOver = from === 'confirmed' || from === 'cancelled';
      expect(await codeOf(moveRefund(ledger, id, to)), callId).toBe(
        isLegal ? 'done' : isOver ? restrictViolation : checkViolation,
      );
    }
  }
});

test('the reasons of refunds are those that the database knows', async () => {
  for (const reason of refundReasons) {
    await sell(`reason ${reason}`);
    await insertRefund(ledger, `reason ${reason}`, { reason });
  }
  const { rows } = await ledger.query<{ definition: string }>(
    `SELECT pg_get_constraintdef(oid) AS definition FROM pg_constraint WHERE conname = 'refund_reason_known'`,
  );
  const known = [...(rows[0]?.definition ?? '').matchAll(/'(\w+)'/g)].map(([, reason]) => reason);
  expect(known.sort()).toEqual([...refundReasons].sort());
});

test('the terms and the history of a refund cannot be changed or removed', async () => {
  await sell('fixed');
  await insertRefund(ledger, 'fixed');
  for (const change of [
    "recipient = '0x2'",
    'amount_atomic = 1',
    "reason = 'duplicate'",
    "network = 'polygon'",
    "method = 'wallet'",
    'round = 5',
  ]) {
    const changing = ledger.query(`UPDATE refund SET ${change} WHERE id = 'rf fixed'`);
    expect(await codeOf(changing), change).toBe(restrictViolation);
  }
  for (const sql of [
    "DELETE FROM refund WHERE id = 'rf fixed'",
    'TRUNCATE refund CASCADE',
    "UPDATE refund_move SET note = 'another'",
    'DELETE FROM refund_move',
    'TRUNCATE refund_move',
    "INSERT INTO refund_move (refund_id, to_state, at) VALUES ('rf fixed', 'sent', now())",
  ]) {
    expect(await codeOf(ledger.query(sql)), sql).toBe(restrictViolation);
  }
});
