import Papa from 'papaparse';
import pg from 'pg';
import { newId } from '@/lib/platform/ids';
import { addCall, addSettlement } from '../support/ledger-rows';
import { migratedDatabase, type NewDatabase } from '../support/new-database';
import { runOperatorProgram } from '../support/operator-program';
import { stack } from '../support/stack';
import { expect, test } from '../support/without-browser';

let database: NewDatabase;
let ledger: pg.Pool;
let sold = '';
let refunded = '';

const hash = `0x${'ab'.repeat(32)}`;
const refundHash = `0x${'ef'.repeat(32)}`;
const at = (time: string) => new Date(`2026-10-${time}Z`);

test.beforeAll(async () => {
  database = await migratedDatabase();
  ledger = new pg.Pool({ connectionString: database.url, max: 2 });
  const settlementId = await addSettlement(ledger, {
    hash,
    at: at('01T00:00:00'),
    feeAtomic: 21_000_000_000_000n,
  });
  await ledger.query('UPDATE settlement_transaction SET final_at = now()');
  const carried = { settlementId, transactionHash: hash };
  sold = await addCall(ledger, { ...carried, createdAt: at('01T00:00:00'), amountAtomic: 1_234_567 });
  refunded = await addCall(ledger, { ...carried, createdAt: at('02T00:00:00') });
  await refund(refunded, at('03T00:00:00'));
  await addCall(ledger, {
    createdAt: at('04T00:00:00'),
    operation: '=HYPERLINK("http://evil.example","x")',
    states: ['settled'],
  });
});
test.afterAll(async () => {
  await ledger.end();
  await database.drop();
});

async function refund(paidCallId: string, movedAt: Date): Promise<void> {
  await ledger.query(
    `INSERT INTO refund (id, paid_call_id, round, method, state, network, asset, recipient, amount_atomic, reason, check_at,
       requested_at, moved_at)
     SELECT $2, id, 0, 'transfer', 'requested', network, asset, payer, amount_atomic, 'duplicate', now(), now(), $3
     FROM paid_call WHERE id = $1`,
    [paidCallId, newId('rf'), movedAt],
  );
  await ledger.query(`UPDATE refund SET state = 'sent', transaction_hash = $1`, [refundHash]);
  await ledger.query(`UPDATE refund SET state = 'confirmed', transfer_index = 0, block_number = 9`);
}

const tuppence = (...args: string[]) =>
  runOperatorProgram(
    {
      ...stack().serverEnv,
      PUBLIC_URL: stack().apiUrl,
      FILES_URL: stack().filesUrl,
      DATABASE_URL: database.url,
    },
    ...args,
  );

/** The rows of a CSV, keyed by its header. */
const rowsOf = (csv: string) =>
  Papa.parse<Record<string, string>>(csv, { header: true, skipEmptyLines: true }).data;

const october = ['--from', '2026-10-01', '--to', '2026-11-01'];

test('the export has every posting of the time span, with amounts, transactions and gas', async () => {
  const { exitCode, output, errors } = await tuppence('export', ...october);
  expect([exitCode, errors]).toEqual([0, '']);
  const rows = rowsOf(output);
  expect(
    rows.map(({ kind, amount, currency, paid_call_id }) => [kind, amount, currency, paid_call_id]),
  ).toEqual([
    ['gas', '0.000021', 'ETH', ''],
    ['settled', '1.234567', 'USDC', sold],
    ['delivered', '1.234567', 'USDC', sold],
    ['settled', '0.005', 'USDC', refunded],
    ['delivered', '0.005', 'USDC', refunded],
    ['refunded', '0.005', 'USDC', refunded],
    ['settled', '0.005', 'USDC', expect.any(String)],
  ]);
  expect(rows[0]).toMatchObject({
    time: '2026-10-01T00:00:00.000Z',
    debit_account: 'expense:gas:base',
    credit_account: 'chain:base:gas:signer',
    amount_atomic: '21000000000000',
    unit: 'wei',
    network: 'base',
    transaction: hash,
  });
  expect(rows[1]).toMatchObject({
    operation: 'uploads.create',
    rail: 'x402',
    unit: 'usdc',
    transaction: hash,
  });
  expect(rows[5]).toMatchObject({ transaction: refundHash, refund_id: expect.stringMatching(/^rf_/) });
  // Nothing that a spreadsheet would run as a formula.
  expect(rows[6]?.operation).toBe(`'=HYPERLINK("http://evil.example","x")`);
  expect(output.split('\r\n')[0]).toMatch(
    /^posting_id,time,kind,debit_account,credit_account,amount,currency,/,
  );
});

test('a time span begins with its first moment and ends before its last', async () => {
  const kinds = async (...args: string[]) => {
    const { output } = await tuppence('export', ...args, '--json');
    return output.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line).kind]));
  };
  expect(await kinds('--from', '2026-10-02T00:00:01Z', '--to', '2026-10-02T00:00:02Z')).toEqual(['settled']);
  expect(await kinds('--from', '2026-10-02T02:00:02+02:00', '--to', '2026-10-03')).toEqual(['delivered']);
  expect(await kinds('--from', '2025-01-01', '--to', '2026-01-01')).toEqual([]);
});

test('an export is recorded with its time span', async () => {
  await tuppence('export', '--from', '2026-09-01', '--to', '2026-09-02');
  const { rows } = await ledger.query(
    `SELECT actor, after FROM operator_action WHERE action = 'records.export' ORDER BY id DESC LIMIT 1`,
  );
  expect(rows).toEqual([
    {
      actor: expect.stringMatching(/^cli:/),
      after: { from: '2026-09-01T00:00:00.000Z', to: '2026-09-02T00:00:00.000Z' },
    },
  ]);
});

test('a long export is complete and in order', async () => {
  const client = await ledger.connect();
  await client.query('SET session_replication_role = replica');
  await client.query(`
    INSERT INTO posting (kind, debit_account, credit_account, amount_atomic, unit, at)
    SELECT 'settled', 'chain:base:treasury', 'prepaid:payer', n, 'usdc', '2026-12-01' FROM generate_series(1, 2500) AS n`);
  client.release(true);
  const { output } = await tuppence('export', '--from', '2026-12-01', '--to', '2026-12-02');
  const rows = rowsOf(output);
  expect(rows.map(({ amount_atomic }) => Number(amount_atomic))).toEqual(
    Array.from({ length: 2_500 }, (_, index) => index + 1),
  );
});

test('calls can be printed as CSV too', async () => {
  const { output } = await tuppence('calls', '--state', 'delivered', '--csv');
  const rows = rowsOf(output);
  expect(rows).toMatchObject([{ id: sold, amount: '1.234567', createdAt: '2026-10-01T00:00:00.000Z' }]);
});

test('export without a time span, or with one that is empty, prints the usage', async () => {
  for (const args of [
    [],
    ['--from', '2026-10-01'],
    ['--from', '2026-10-02', '--to', '2026-10-01'],
    ['--from', 'May', '--to', 'June'],
  ])
    expect(await tuppence('export', ...args), args.join(' ')).toMatchObject({
      exitCode: 2,
      output: '',
      errors: expect.stringMatching(/^--(from|to): .*\n\nUsage: /),
    });
});
