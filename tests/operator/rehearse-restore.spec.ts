import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { DataKeys } from '@/lib/platform/data-keys';
import { loadLedger } from '@/tools/bench/ledger-loader';
import { asset, seller } from '../repo/ledger-audit/audit';
import '../support/build';
import { migratedDatabase, type NewDatabase } from '../support/new-database';
import { runOperatorProgram } from '../support/operator-program';
import { sqlDumpOf } from '../support/sql-dump';
import { expect, test } from '../support/without-browser';

/** `tuppence rehearse-restore`, with the real psql. */

const hasPsql = (() => {
  try {
    return execFileSync('psql', ['--version']).length > 0;
  } catch {
    return false;
  }
})();
test.skip(!hasPsql, 'psql is not installed');

let folder: string;
let database: NewDatabase;
const dataKey = randomBytes(32).toString('base64');

test.beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'tuppence-dump-'));
  database = await migratedDatabase();
  const keys = new DataKeys([dataKey], 'main');
  const answers = keys.encrypt(JSON.stringify({ name: 'Ada' }));
  await loadLedger(database.url, { seller, asset, calls: 200, answers });
  await query(`
    INSERT INTO installation (networks, created_at) VALUES ('main', now());
    SET session_replication_role = replica;
    UPDATE paid_call SET answer = '\\x${Buffer.from(keys.encrypt('{}')).toString('hex')}' WHERE answer IS NOT NULL`);
});
test.afterAll(async () => {
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

async function query(sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

async function dumpAs(name: string, change: (sql: string) => string = (sql) => sql): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, change(await sqlDumpOf(database.url)));
  return file;
}

const rehearse = (file: string, ...args: string[]) => rehearseWith({}, file, ...args);

const rehearseWith = (settings: Record<string, string>, file: string, ...args: string[]) =>
  runOperatorProgram(
    {
      DATABASE_URL: database.url,
      PUBLIC_URL: 'http://localhost:1',
      FILES_URL: 'http://127.0.0.1:1',
      DATA_KEY: dataKey,
      PAY_TO_EVM: seller.payTo,
      BASE_RPC_URL: 'http://127.0.0.1:1',
      ...settings,
    },
    'rehearse-restore',
    file,
    ...args,
  );

const rehearsals = () => query(`SELECT datname FROM pg_database WHERE datname LIKE 'tuppence_rehearsal_%'`);

test('a rehearsal restores a dump, says what is in it and how old it is, and leaves nothing behind', async () => {
  const file = await dumpAs('good.sql');
  const text = await rehearse(file);
  expect(text.errors).toBe('');
  expect(text.output).toMatch(/^Restored in \d+ seconds: 200 paid calls, [1-9]\d* postings, /);
  expect(text.output).toMatch(/\nThe last change of a call in it was at 20\S+Z, \d+ hours ago\./);
  expect(text.output).toContain('The ledger agrees with itself. It was not compared with base');
  expect(text.exitCode).toBe(0);
  expect(await rehearsals()).toEqual([]);
});

test('a rehearsal names what is wrong with a dump: its books, its keys, its migrations and its end', async () => {
  const otherKey = randomBytes(32).toString('base64');
  const locked = await rehearseWith({ DATA_KEY: otherKey }, await dumpAs('locked.sql'));
  expect([locked.exitCode, locked.output]).toEqual([1, expect.stringContaining('\nwrong: DATA_KEY: ')]);
  await query(`INSERT INTO account_balance (account_id, balance_atomic) VALUES ('acct_edited', 7)`);
  const broken = JSON.parse((await rehearse(await dumpAs('edited.sql'), '--json')).output);
  expect(broken).toMatchObject({ isGood: false, counts: { calls: 200 } });
  expect(broken.problems).toContainEqual('a balance is the sum of its postings (1 findings)');
  const other = await dumpAs('other.sql', (sql) =>
    sql.replaceAll(/"checksum":"[0-9a-f]{8}/g, '"checksum":"00000000'),
  );
  const changed = await rehearse(other);
  expect([changed.exitCode, changed.output + changed.errors]).toEqual([
    1,
    expect.stringMatching(/Migration \S+ was edited/),
  ]);
  const cut = await rehearse(await dumpAs('cut.sql', (sql) => `${sql}\nSELECT * FROM`));
  const odd = await rehearse(await dumpAs('odd.sql', () => 'SELECT nothing;'));
  expect([cut.exitCode, odd.exitCode, odd.errors]).toEqual([
    1,
    1,
    expect.stringContaining('The dump cannot be restored: psql:'),
  ]);
  const missing = await rehearse(path.join(folder, 'missing.sql'));
  expect([missing.exitCode, missing.errors]).toEqual([1, expect.stringContaining('missing.sql')]);
  expect(await rehearsals()).toEqual([]);
});
