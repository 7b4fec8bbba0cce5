import pg from 'pg';
import { byteaOf, flushedLater, runBatch } from '@/lib/platform/database/batched-query';
import { emptyDatabase } from '../support/new-database';
import { expect, test } from '../support/without-browser';

const insert = `
  WITH asked AS (SELECT * FROM json_to_recordset($1::json) AS asked(n integer, id text, key text, content bytea, size integer)),
  inserted AS (
    INSERT INTO thing (id, key, content, size) SELECT id, key, content, size FROM asked ON CONFLICT DO NOTHING RETURNING id
  )
  SELECT n, id FROM asked JOIN inserted USING (id)`;

async function withThings(use: (connections: pg.Pool) => Promise<void>): Promise<void> {
  const { url, drop } = await emptyDatabase();
  const connections = new pg.Pool({ connectionString: url, max: 2 });
  // The database may be dropped before a connection to it is closed. Without a listener, that error would end the run.
  connections.on('error', () => undefined);
  try {
    await connections.query(
      'CREATE TABLE thing (id text PRIMARY KEY, key text UNIQUE, content bytea, size integer CHECK (size > 0))',
    );
    await use(connections);
  } finally {
    await connections.end();
    await drop();
  }
}

const thing = (id: string, { key = id, size = 1 } = {}) => ({
  id,
  key,
  size,
  content: byteaOf(Buffer.from(`content of ${id}`)),
});

test('a batched query', async () => {
  await withThings(async (connections) => {
    const stored = async () => {
      const { rows } = await connections.query('SELECT id, content FROM thing ORDER BY id');
      return rows.map(({ id, content }) => `${id}: ${content}`);
    };

    await test.step('gives each item its own rows, and only one of two that want the same key', async () => {
      const outcomes = await runBatch(connections, insert, [
        thing('a'),
        thing('b'),
        thing('z', { key: 'a' }),
      ]);
      expect(outcomes).toEqual([{ rows: [{ n: 0, id: 'a' }] }, { rows: [{ n: 1, id: 'b' }] }, { rows: [] }]);
      expect(await stored()).toEqual(['a: content of a', 'b: content of b']);
    });

    await test.step('lets an item that the database refuses fail alone', async () => {
      const items = [thing('c'), thing('d', { size: -1 }), { ...thing('e'), id: 'nul \0' }, thing('f')];
      const outcomes = await runBatch(connections, insert, items);
      expect(outcomes.map((outcome) => 'rows' in outcome)).toEqual([true, false, false, true]);
      expect((await stored()).slice(2)).toEqual(['c: content of c', 'f: content of f']);
    });

    await test.step('is not repeated when the connection is lost, because it may have been done', async () => {
      let runs = 0;
      const lost = {
        query: async (...args: Parameters<pg.Pool['query']>) => {
          runs += 1;
          await connections.query(...(args as unknown as [string, unknown[]]));
          throw new Error('Connection terminated unexpectedly');
        },
      } as unknown as pg.Pool;
      const outcomes = await runBatch(lost, insert, [thing('g'), thing('h')]);
      expect(outcomes.map((outcome) => 'error' in outcome)).toEqual([true, true]);
      expect(runs).toBe(1);
      expect((await stored()).slice(4)).toEqual(['g: content of g', 'h: content of h']);
    });
  });
});

test('a statement that is flushed later changes that for its own transaction only', async () => {
  await withThings(async (connections) => {
    const client = await connections.connect();
    const isAwaited = async () => {
      const { rows } = await client.query<{ synchronous_commit: string }>('SHOW synchronous_commit');
      return rows[0]?.synchronous_commit === 'on';
    };
    const insertWithoutFlush = `INSERT INTO thing (id, size) SELECT 'a', 1 WHERE ${flushedLater}`;
    await client.query('BEGIN');
    expect((await client.query(insertWithoutFlush)).rowCount).toBe(1);
    expect(await isAwaited()).toBe(false);
    await client.query('ROLLBACK');
    expect((await client.query(insertWithoutFlush)).rowCount).toBe(1);
    expect(await isAwaited()).toBe(true);
    client.release();
  });
});
