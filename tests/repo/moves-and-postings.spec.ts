import pg from 'pg';
import type { PaidCallState } from '@/lib/ledger/states';
import { migratedDatabase, type NewDatabase } from '../support/new-database';
import { expect, test } from '../support/without-browser';

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

type Querying = Pick<pg.Pool, 'query'>;

interface NewCall {
  readonly id: string;
  readonly state?: PaidCallState;
  readonly network?: string;
  readonly payer?: string;
  readonly operation?: string;
}

/** A call of 5,000 by a payer of its own. */
async function claim(ledger: Querying, call: NewCall): Promise<void> {
  const {
    id,
    state = 'settling',
    network = 'base',
    payer = `payer of ${id}`,
    operation = 'render.pdf',
  } = call;
  await ledger.query(
    `INSERT INTO paid_call (id, operation, rail, network, asset, payer, "authorization", amount_atomic, pay_to,
       request_hash, state, payment, valid_before, attempt_at, created_at, moved_at)
     VALUES ($1, $2, 'x402', $3, 'USDC', $4, $1, 5000, 'us', 'request', $5, 'payment', now(), now(), now(), '2026-01-01')`,
    [id, operation, network, payer, state],
  );
}

/** Moves a call a second after its last move. */
async function move(
  ledger: Querying,
  id: string,
  to: PaidCallState,
  more = 'move_note = NULL',
): Promise<void> {
  await ledger.query(
    `UPDATE paid_call SET state = $2, moved_at = moved_at + interval '1 second', ${more} WHERE id = $1`,
    [id, to],
  );
}

async function movesOf(ledger: Querying, id: string): Promise<string[]> {
  const { rows } = await ledger.query<{ line: string }>(
    `SELECT concat_ws(' ', COALESCE(from_state::text, 'nothing'), '>', to_state, 'at', extract(epoch FROM at - '2026-01-01')::int,
       note) AS line FROM paid_call_move WHERE paid_call_id = $1 ORDER BY id`,
    [id],
  );
  return rows.map(({ line }) => line);
}

async function postingsOf(ledger: Querying, id: string): Promise<string[]> {
  const { rows } = await ledger.query<{ line: string }>(
    `SELECT concat_ws(' ', round, kind || ':', debit_account, '>', credit_account, amount_atomic, unit, 'at',
       extract(epoch FROM at - '2026-01-01')::int) AS line
     FROM posting WHERE $1 IN (paid_call_id, settlement_id) ORDER BY id`,
    [id],
  );
  return rows.map(({ line }) => line);
}

test('the database records every move of a call and posts its money', async () => {
  await claim(ledger, { id: 'sold', payer: '0x1' });
  await move(ledger, 'sold', 'settled');
  await move(ledger, 'sold', 'needs_attention', "move_note = 'delivery_failed'");
  await move(ledger, 'sold', 'delivered');
  expect(await movesOf(ledger, 'sold')).toEqual([
    'nothing > claimed at 0',
    'claimed > settling at 0',
    'settling > settled at 1',
    'settled > needs_attention at 2 delivery_failed',
    'needs_attention > delivered at 3',
  ]);
  expect(await postingsOf(ledger, 'sold')).toEqual([
    '0 settled: chain:base:treasury > prepaid:0x1 5000 usdc at 1',
    '0 delivered: prepaid:0x1 > revenue:render.pdf 5000 usdc at 3',
  ]);
});

test('preparation before the charge shows as a separate move', async () => {
  await claim(ledger, { id: 'prepared', state: 'claimed' });
  await move(ledger, 'prepared', 'settling');
  expect(await movesOf(ledger, 'prepared')).toEqual([
    'nothing > claimed at 0',
    'claimed > prepared at 1',
    'prepared > settling at 1',
  ]);
});

test('a refused call moves no money', async () => {
  await claim(ledger, { id: 'refused' });
  await move(ledger, 'refused', 'unknown');
  await move(ledger, 'refused', 'refused', "move_note = 'insufficient_funds'");
  expect((await movesOf(ledger, 'refused')).slice(2)).toEqual([
    'settling > unknown at 1',
    'unknown > refused at 2 insufficient_funds',
  ]);
  expect(await postingsOf(ledger, 'refused')).toEqual([]);
});

test('a prepaid account pays from its balance', async () => {
  await claim(ledger, { id: 'from-balance', network: 'account', payer: 'acc_1' });
  await move(ledger, 'from-balance', 'settled');
  await move(ledger, 'from-balance', 'kept');
  expect(await postingsOf(ledger, 'from-balance')).toEqual([
    '0 settled: account:acc_1 > prepaid:acc_1 5000 usdc at 1',
    '0 kept: prepaid:acc_1 > revenue:render.pdf 5000 usdc at 2',
  ]);
});

test('a reorganization reverses postings, and a deposit is credited once', async () => {
  await claim(ledger, { id: 'deposit', payer: '0x1', operation: 'billing.deposit' });
  await move(ledger, 'deposit', 'settled');
  await move(ledger, 'deposit', 'delivered', "credited_account = 'acc_1'");
  await move(ledger, 'deposit', 'unknown', 'reorganizations = 1');
  await move(ledger, 'deposit', 'settled');
  await move(ledger, 'deposit', 'delivered');
  expect(await postingsOf(ledger, 'deposit')).toEqual([
    '0 settled: chain:base:treasury > prepaid:0x1 5000 usdc at 1',
    '0 delivered: prepaid:0x1 > account:acc_1 5000 usdc at 2',
    '0 settled_reversed: prepaid:0x1 > chain:base:treasury 5000 usdc at 3',
    '0 delivered_reversed: receivable:reorganized-deposits > prepaid:0x1 5000 usdc at 3',
    '1 settled: chain:base:treasury > prepaid:0x1 5000 usdc at 4',
    '1 delivered: prepaid:0x1 > receivable:reorganized-deposits 5000 usdc at 5',
  ]);
});

test('a call that moves back without a new round cannot be settled twice', async () => {
  await claim(ledger, { id: 'twice' });
  await move(ledger, 'twice', 'settled');
  await move(ledger, 'twice', 'unknown');
  // 23505: unique_violation.
  await expect(move(ledger, 'twice', 'settled')).rejects.toMatchObject({ code: '23505' });
});

test('the fee of a transaction is posted when it is in a block, and reversed when it vanishes', async () => {
  await ledger.query(
    `INSERT INTO settlement_transaction (id, network, signer, hash, payments, state, created_at)
     VALUES ('sent', 'base', '0x2', '0xsent', 2, 'prepared', now())`,
  );
  const mine = (second: number) =>
    ledger.query(
      `UPDATE settlement_transaction SET state = 'confirmed', fee_atomic = 70, fee_in_vain_atomic = 30, fee_unit = 'wei',
         confirmed_at = timestamptz '2026-01-01' + make_interval(secs => $1) WHERE id = 'sent'`,
      [second],
    );
  await mine(1);
  await mine(2);
  await ledger.query(
    `UPDATE settlement_transaction SET state = 'prepared', reorganizations = 1, fee_atomic = NULL, fee_in_vain_atomic = NULL,
       fee_unit = NULL, confirmed_at = NULL, reorganized_at = timestamptz '2026-01-01' + interval '3 seconds' WHERE id = 'sent'`,
  );
  await mine(4);
  expect(await postingsOf(ledger, 'sent')).toEqual([
    '0 gas: expense:gas:base > chain:base:gas:0x2 70 wei at 1',
    '0 gas_in_vain: expense:gas_in_vain:base > expense:gas:base 30 wei at 1',
    '0 gas_reversed: chain:base:gas:0x2 > expense:gas:base 70 wei at 3',
    '0 gas_in_vain_reversed: expense:gas:base > expense:gas_in_vain:base 30 wei at 3',
    '1 gas: expense:gas:base > chain:base:gas:0x2 70 wei at 4',
    '1 gas_in_vain: expense:gas_in_vain:base > expense:gas:base 30 wei at 4',
  ]);
});

test('only the triggers write moves and postings', async () => {
  await claim(ledger, { id: 'settled' });
  await move(ledger, 'settled', 'settled');
  const refused = [
    "INSERT INTO paid_call_move (paid_call_id, to_state, at) VALUES ('settled', 'claimed', now())",
    `INSERT INTO posting (paid_call_id, kind, debit_account, credit_account, amount_atomic, unit, at)
     VALUES ('settled', 'kept', 'prepaid:0x1', 'revenue:x', 1, 'usdc', now())`,
  ];
  // 23001: restrict_violation.
  for (const sql of refused) await expect(ledger.query(sql), sql).rejects.toMatchObject({ code: '23001' });
});

test('a call begins as claimed, or as settling when nothing is prepared', async () => {
  for (const state of ['unknown', 'settled', 'delivered', 'refused'] as const) {
    // 23514: check_violation.
    await expect(claim(ledger, { id: `begins ${state}`, state })).rejects.toMatchObject({ code: '23514' });
  }
});
