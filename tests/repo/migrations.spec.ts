import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import {
  legalMoves,
  legalSettlementMoves,
  type PaidCallState,
  type SettlementState,
} from '@/lib/ledger/states';
import { applyMigrations, findMissingMigrations, readMigrations } from '@/lib/platform/database/migrate';
import { diagnoseHistory, diffToSchema } from '@/scripts/schema-engine';
import { emptyDatabase, migratedDatabase, type NewDatabase } from '../support/new-database';
import { fullOnly } from '../support/tiers';
import { test as base, expect } from '../support/without-browser';
import { finalize, refund } from './refunds/rows';

interface Databases {
  /** A new, empty database. */
  readonly newDatabase: () => Promise<string>;
  /** A database that the migrations have built. */
  readonly migrated: string;
}

const test = base.extend<Databases>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures that are wanted from this pattern.
  newDatabase: async ({}, use) => {
    const made: NewDatabase[] = [];
    await use(async () => {
      const database = await emptyDatabase();
      made.push(database);
      return database.url;
    });
    for (const { drop } of made) await drop();
  },
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures that are wanted from this pattern.
  migrated: async ({}, use) => {
    const { url, drop } = await migratedDatabase();
    await use(url);
    await drop();
  },
});

// Each test has its own databases. In one worker, the file would hold up the end of a run for half a minute.
test.describe.configure({ mode: 'parallel' });

const allStates = Object.keys(legalMoves) as PaidCallState[];
const settlementStates = Object.keys(legalSettlementMoves) as SettlementState[];

async function withClient<T>(databaseUrl: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/** Inserts a row, with a default of the right type in every required column, so that tests name only the columns they are about. */
async function insert(client: pg.Client, table: string, given: Record<string, unknown>): Promise<void> {
  const { rows } = await client.query<{ column_name: string; data_type: string }>(
    `SELECT column_name, data_type FROM information_schema.columns
     WHERE table_name = $1 AND is_nullable = 'NO' AND column_default IS NULL AND is_identity = 'NO'`,
    [table],
  );
  const filler = (type: string): unknown => {
    if (type === 'bytea') return Buffer.from('x');
    if (type.startsWith('timestamp')) return new Date(0);
    return type === 'ARRAY' ? [] : '1';
  };
  const values = {
    ...Object.fromEntries(rows.map((row) => [row.column_name, filler(row.data_type)])),
    ...given,
  };
  const columns = Object.keys(values);
  await client.query(
    `INSERT INTO ${table} (${columns.map((column) => `"${column}"`).join(', ')}) VALUES (${columns.map((_, index) => `$${index + 1}`).join(', ')})`,
    Object.values(values),
  );
}

/** A call becomes `refunded` only together with its refund. */
async function move(client: pg.Client, id: string, to: PaidCallState): Promise<void> {
  if (to !== 'refunded') {
    await client.query('UPDATE paid_call SET state = $2 WHERE id = $1', [id, to]);
    return;
  }
  await finalize(client, id);
  await refund(client, id);
}

/** The shortest legal sequence of moves from a new call to a state. */
function wayTo(state: PaidCallState): PaidCallState[] {
  const ways: PaidCallState[][] = [['claimed']];
  for (const way of ways) {
    const last = way.at(-1) ?? 'claimed';
    if (last === state) return way;
    ways.push(...legalMoves[last].filter((to) => !way.includes(to)).map((to) => [...way, to]));
  }
  throw new Error(`No move leads to ${state}.`);
}

async function insertCall(client: pg.Client, id: string, state: PaidCallState): Promise<void> {
  const [first = 'claimed', ...rest] = wayTo(state);
  await insert(client, 'paid_call', { id, authorization: id, state: first, amount_atomic: '5000' });
  for (const to of rest) await move(client, id, to);
}

test('the migrations build what schema.prisma says', async ({ newDatabase }) => {
  const databases = { mainUrl: await newDatabase(), shadowUrl: await newDatabase() };
  expect(await diffToSchema(databases, await readMigrations()), 'npm run migration:new').toBe('');
});

test('instances that start at once apply each migration once', fullOnly, async ({ newDatabase }) => {
  const databaseUrl = await newDatabase();
  const names = (await readMigrations()).map(({ name }) => name);
  const applied = await Promise.all(Array.from({ length: 5 }, () => applyMigrations(databaseUrl)));
  expect(applied.flat().sort()).toEqual(names);
  expect(await applyMigrations(databaseUrl)).toEqual([]);
});

test('Prisma itself finds nothing left to migrate', fullOnly, async ({ newDatabase }) => {
  const databaseUrl = await newDatabase();
  const migrations = await readMigrations();
  await applyMigrations(databaseUrl);
  expect(await diagnoseHistory(databaseUrl, migrations)).toBeNull();
});

test(
  'a failed migration leaves nothing behind, and is applied once it is fixed',
  fullOnly,
  async ({ newDatabase }) => {
    const databaseUrl = await newDatabase();
    const folder = await mkdtemp(path.join(tmpdir(), 'tuppence-migrations-'));
    try {
      await cp('prisma/migrations', folder, { recursive: true });
      const last = path.join(folder, '99991231000000_last');
      await mkdir(last);
      await writeFile(
        path.join(last, 'migration.sql'),
        'CREATE TABLE half_done (id int);\nSELECT no_such_thing();\n',
      );
      await expect(applyMigrations(databaseUrl, folder)).rejects.toThrow(
        /99991231000000_last failed: .*\(line 2\)/,
      );
      const found = await withClient(databaseUrl, (client) =>
        client.query(`SELECT to_regclass('half_done') AS it`),
      );
      expect(found.rows).toEqual([{ it: null }]);
      await writeFile(path.join(last, 'migration.sql'), 'CREATE TABLE half_done (id int);\n');
      expect(await applyMigrations(databaseUrl, folder)).toEqual(['99991231000000_last']);
      await writeFile(path.join(last, 'migration.sql'), 'CREATE TABLE half_done (id text);\n');
      await expect(applyMigrations(databaseUrl, folder)).rejects.toThrow(/was edited after/);
    } finally {
      await rm(folder, { recursive: true });
    }
  },
);

test('a database with another history is not touched, and the error says what to do', async ({
  newDatabase,
}) => {
  const databaseUrl = await newDatabase();
  const folder = await mkdtemp(path.join(tmpdir(), 'tuppence-migrations-'));
  try {
    const other = path.join(folder, '20261121000000_paid_calls_and_uploads');
    await mkdir(other);
    await writeFile(path.join(other, 'migration.sql'), 'CREATE TABLE paid_call (id text);\n');
    await applyMigrations(databaseUrl, folder);
    const explanation =
      /20261121000000_paid_calls_and_uploads, and not \d+_baseline.* Point DATABASE_URL at a new, empty database/;
    await expect(applyMigrations(databaseUrl)).rejects.toThrow(explanation);
    await expect(findMissingMigrations(databaseUrl)).rejects.toThrow(explanation);
    const { rows } = await withClient(databaseUrl, (client) =>
      client.query('SELECT migration_name FROM _prisma_migrations'),
    );
    expect(rows).toEqual([{ migration_name: '20261121000000_paid_calls_and_uploads' }]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('the database knows the legal moves of lib/ledger/states.ts', async ({ migrated: databaseUrl }) => {
  const { rows } = await withClient(databaseUrl, (client) =>
    client.query<{ move: string }>(`SELECT from_state || ' -> ' || to_state AS move FROM legal_move`),
  );
  const expected = allStates.flatMap((from) => legalMoves[from].map((to) => `${from} -> ${to}`));
  expect(rows.map(({ move }) => move).sort()).toEqual(expected.sort());
});

test('the database refuses every other move', async ({ migrated: databaseUrl }) => {
  await withClient(databaseUrl, async (client) => {
    for (const from of allStates) {
      for (const to of allStates.filter((state) => state !== from)) {
        const id = `${from}-${to}`;
        await insertCall(client, id, from);
        const outcome = await move(client, id, to).then(
          () => 'moved',
          (error: { code?: string }) => error.code,
        );
        // 23514: check_violation.
        expect(outcome, id).toBe(legalMoves[from].includes(to) ? 'moved' : '23514');
      }
    }
  });
});

test('the database knows the legal moves of settlement transactions, and refuses every other one', async ({
  migrated: databaseUrl,
}) => {
  await withClient(databaseUrl, async (client) => {
    const { rows } = await client.query<{ move: string }>(
      `SELECT from_state || ' -> ' || to_state AS move FROM legal_settlement_move`,
    );
    const expected = settlementStates.flatMap((from) =>
      legalSettlementMoves[from].map((to) => `${from} -> ${to}`),
    );
    expect(rows.map(({ move }) => move).sort()).toEqual(expected.sort());
    const attempt = (work: Promise<unknown>) =>
      work.then(
        () => 'done',
        (error: { code?: string }) => error.code,
      );
    // 23514: check_violation.
    for (const state of settlementStates) {
      const begun = await attempt(
        insert(client, 'settlement_transaction', { id: state, hash: state, network: 'base', state }),
      );
      expect(begun, state).toBe(['prepared', 'confirmed'].includes(state) ? 'done' : '23514');
    }
    for (const from of settlementStates) {
      for (const to of settlementStates.filter((state) => state !== from)) {
        const id = `${from}-${to}`;
        await client.query('SET session_replication_role = replica');
        await insert(client, 'settlement_transaction', { id, hash: id, network: 'base', state: from });
        await client.query('SET session_replication_role = origin');
        const moved = await attempt(
          client.query('UPDATE settlement_transaction SET state = $2, fee_atomic = NULL WHERE id = $1', [
            id,
            to,
          ]),
        );
        expect(moved, id).toBe(legalSettlementMoves[from].includes(to) ? 'done' : '23514');
      }
    }
  });
});

test('records of money cannot be changed or removed', async ({ migrated: databaseUrl }) => {
  await withClient(databaseUrl, async (client) => {
    await insertCall(client, 'call', 'settled');
    await insert(client, 'settlement_transaction', { id: 'settlement', state: 'prepared' });
    const refused = [
      'UPDATE posting SET amount_atomic = 2',
      'DELETE FROM posting',
      'TRUNCATE posting',
      `UPDATE paid_call_move SET note = 'another'`,
      'DELETE FROM paid_call_move',
      'TRUNCATE paid_call_move',
      'DELETE FROM paid_call',
      'TRUNCATE paid_call CASCADE',
      'DELETE FROM settlement_transaction',
      'TRUNCATE settlement_transaction CASCADE',
    ];
    // 23001: restrict_violation.
    for (const sql of refused) await expect(client.query(sql), sql).rejects.toMatchObject({ code: '23001' });
  });
});

test('amounts are positive, and money moves between two accounts of the ledger', async ({
  migrated: databaseUrl,
}) => {
  await withClient(databaseUrl, async (client) => {
    // Only triggers write postings. They are disabled in replica mode, but the constraints are not.
    await client.query('SET session_replication_role = replica');
    const posting = { debit_account: 'prepaid:one', credit_account: 'revenue:other', amount_atomic: '1' };
    const refusal = { code: '23514' };
    for (const amount of ['0', '-1']) {
      const call = { id: 'call', state: 'claimed', amount_atomic: amount };
      await expect(insert(client, 'paid_call', call)).rejects.toMatchObject(refusal);
      await expect(insert(client, 'posting', { ...posting, amount_atomic: amount })).rejects.toMatchObject(
        refusal,
      );
    }
    // The second is no account of the ledger.
    for (const credit of ['prepaid:one', 'other']) {
      await expect(insert(client, 'posting', { ...posting, credit_account: credit })).rejects.toMatchObject(
        refusal,
      );
    }
    await insert(client, 'posting', posting);
  });
});
