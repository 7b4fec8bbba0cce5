import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { type App, createApp } from '@/lib/app';
import { loadLedger } from '@/tools/bench/ledger-loader';
import { newestForm } from '@/tools/bench/loaded-rows';
import { migratedDatabase, type NewDatabase } from '../support/new-database';
import { testPlatform } from '../support/platform';
import { expect, test } from '../support/without-browser';
import { asset, seller } from './ledger-audit/audit';
import { growingParts, PlanLog, reportingPlans } from './ledger-plans/plans';
import { repeatedWork } from './ledger-plans/work';

/** Enough to notice when a whole table is read, or all entries of the account that paid a tenth of the calls. */
const calls = 30_000;
const rowsMax = 2_000;
/** PostgreSQL reads smaller tables whole, which is fine. */
const largeRows = 1_000;

let database: NewDatabase;
let storageDir: string;
let app: App;
let plans: PlanLog;

test.beforeAll(async () => {
  database = await migratedDatabase();
  storageDir = await mkdtemp(path.join(tmpdir(), 'tuppence-plans-'));
  const { keys, log, settings } = testPlatform({
    DATABASE_URL: reportingPlans(database.url),
    STORAGE: 'disk',
    STORAGE_DIR: storageDir,
    RATE_LIMIT_FACTOR: '0',
  });
  const answers = keys.encrypt(JSON.stringify({ name: 'Ada' }));
  await loadLedger(database.url, { seller, asset, calls, answers });
  app = createApp({ settings, log });
  plans = new PlanLog(app.pool, app.statementPool);
  await app.instance.start(['base']);
  // Rows of which the loaded ledger would otherwise have only a few.
  await query(`
    INSERT INTO gas_in_vain (settlement_id, paid_call_id, network, payer, gas, at)
    SELECT settlement_id, id, network, payer, 100000, created_at FROM paid_call WHERE settlement_id IS NOT NULL;
    INSERT INTO account (id, token_hash, created_at)
    SELECT 'acct_' || n, sha256(n::text::bytea), now() FROM generate_series(1, 20000) AS n;
    INSERT INTO form (id, paid_call_id, owner, created_at, read_token_hash, closes_at, readable_until, max_responses,
      erased_at)
    SELECT 'fm_' || n, 'pc_of_form_' || n, '0x1', now(), ''::bytea, now() - interval '1 month', now() - interval '1 week', 100, now()
    FROM generate_series(1, 20000) AS n;
    INSERT INTO channel (id, network, payer, receiver, receiver_authorizer, token, withdraw_delay, salt, balance_atomic,
      withdrawing_atomic, claimed_atomic, read_at_block, read_at, opened_atomic, charged_atomic, created_at, used_at)
    SELECT '0x' || n, 'base', '0x' || n, '0x2', '0x3', '0x4', 86400, '0x', 1000000, 0, 5000, 1, now(), 0, 5000, now(),
      now() - interval '1 day'
    FROM generate_series(1, 20000) AS n`);
  await query('ANALYZE');
});
test.afterAll(async () => {
  await app.close();
  await database.drop();
  await rm(storageDir, { recursive: true });
});

async function query<Row extends pg.QueryResultRow>(sql: string, values: unknown[] = []): Promise<Row[]> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    return (await client.query<Row>(sql, values)).rows;
  } finally {
    await client.end();
  }
}

test('repeated statements read a bounded number of rows by indexes, however long the ledger is', async () => {
  const large = await query<{ name: string }>(
    `SELECT relname AS name FROM pg_class
     WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND reltuples > $1`,
    [largeRows],
  );
  const limits = { largeTables: new Set(large.map(({ name }) => name)), rowsMax };
  const largest = ['paid_call', 'paid_call_move', 'posting', 'settlement_transaction', 'upload'];
  expect([...limits.largeTables]).toEqual(
    expect.arrayContaining([...largest, 'account', 'channel', 'form', 'form_response', 'gas_in_vain']),
  );
  const [{ payer } = { payer: '' }] = await query<{ payer: string }>(
    `SELECT payer FROM paid_call WHERE network = 'base' LIMIT 1`,
  );
  const loaded = { app, asset, calls, payer, formId: newestForm(calls), ...seller };
  for (const { name, before, run } of repeatedWork) {
    if (before) await query(before);
    plans.take();
    await run(loaded);
    const statements = plans.take();
    expect(statements, name).not.toEqual([]);
    expect
      .soft(
        statements.flatMap((statement) => growingParts(statement, limits)),
        name,
      )
      .toEqual([]);
  }
});
