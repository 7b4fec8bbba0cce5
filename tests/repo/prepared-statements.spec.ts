import pg from 'pg';
import { PreparedStatements } from '@/lib/platform/database/prepared-statements';
import { emptyDatabase } from '../support/new-database';
import { expect, test } from '../support/without-browser';

const text = 'SELECT $1::int + 1 AS next';

/** Runs `use` with the prepared statements of one connection. `open` may change the connection when it is opened. */
async function withStatements(
  use: (statements: PreparedStatements, connections: pg.Pool) => Promise<void>,
  open: (client: object) => void = () => undefined,
): Promise<void> {
  const { url, drop } = await emptyDatabase();
  const connections = new pg.Pool({ connectionString: url, max: 1 });
  connections.on('connect', open);
  // The database may be dropped before a connection to it is closed. Without a listener, that error would end the run.
  connections.on('error', () => undefined);
  try {
    await use(new PreparedStatements(connections), connections);
  } finally {
    await connections.end();
    await drop();
  }
}

async function kept(connections: pg.Pool): Promise<string[]> {
  const { rows } = await connections.query('SELECT statement FROM pg_prepared_statements');
  return rows.map(({ statement }) => statement);
}

test('a statement is prepared and planned once per connection', async () => {
  await withStatements(async (statements, connections) => {
    for (const value of [1, 2, 3]) {
      expect((await statements.query(text, [value])).rows).toEqual([{ next: value + 1 }]);
    }
    expect(await kept(connections)).toEqual([text]);
    const { rows } = await connections.query(
      'SELECT generic_plans, custom_plans FROM pg_prepared_statements',
    );
    expect(rows).toEqual([{ generic_plans: '3', custom_plans: '0' }]);
  });
});

test('a plan that was made while a table was small reads it by an index once it is large', async () => {
  await withStatements(async (statements, connections) => {
    await connections.query('CREATE TABLE item (id int PRIMARY KEY) WITH (autovacuum_enabled = off)');
    await connections.query('INSERT INTO item VALUES (1)');
    await connections.query('ANALYZE item');
    await statements.query('SELECT id FROM item WHERE id = $1', [1]);
    await connections.query('INSERT INTO item SELECT generate_series(2, 10000)');
    const [{ name } = { name: '' }] = (
      await connections.query<{ name: string }>('SELECT name FROM pg_prepared_statements')
    ).rows;
    const { rows } = await connections.query(`EXPLAIN EXECUTE "${name}" (2)`);
    expect(rows[0]).toEqual({ 'QUERY PLAN': expect.stringMatching(/^Index (Only )?Scan/) });
  });
});

test('nothing is prepared or set in a session that a pooler shares between clients', async () => {
  await withStatements(
    async (statements, connections) => {
      expect((await statements.query(text, [1])).rows).toEqual([{ next: 2 }]);
      expect(await kept(connections)).toEqual([]);
      const { rows } = await connections.query('SHOW plan_cache_mode');
      expect(rows).toEqual([{ plan_cache_mode: 'auto' }]);
    },
    // A pooler reports a different process ID to its clients.
    (client) => Object.assign(client, { processID: 1 }),
  );
});

test('a statement that its session has lost is carried out all the same', async () => {
  await withStatements(async (statements, connections) => {
    await statements.query(text, [1]);
    await connections.query('DEALLOCATE ALL');
    expect((await statements.query(text, [2])).rows).toEqual([{ next: 3 }]);
  });
});

test('a statement that the database refuses is not repeated', async () => {
  await withStatements(async (statements, connections) => {
    await connections.query('CREATE SEQUENCE runs');
    const failsAtFirst = `SELECT 1 / (nextval('runs') - $1::int)`;
    await expect(statements.query(failsAtFirst, [1])).rejects.toThrow('by zero');
    const { rows } = await connections.query(`SELECT nextval('runs')::int AS run`);
    expect(rows).toEqual([{ run: 2 }]);
  });
});
