import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client, type QueryResultRow } from 'pg';
import { locatePostgresData, type Postgres, startPostgres } from '@/local/postgres';
import type { Program } from '../support/program';
import { startWorker } from '../support/worker';
import { expect, test as recoveryTest } from './fixtures';
import { transfersOf, untilState, uploadsOf } from './rig/found';
import { ask, sign } from './rig/requests';
import { type Rig, startRig } from './rig/rig';
import { until } from './rig/waiting';

/** A database server for one test. */
interface OwnDatabase {
  readonly url: string;
  stop(): Promise<void>;
  /** Starts the server with its data, at its old address. */
  start(): Promise<void>;
  query<Row extends QueryResultRow>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Blocks every change of uploads until the server stops. The result lists the statements that are waiting. */
  holdUploads(): Promise<() => Promise<readonly string[]>>;
}

interface Fixtures {
  database: OwnDatabase;
  /** A service on that database, with a server that runs no jobs. */
  rig: Rig;
  worker: Program;
}

const test = recoveryTest.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the pattern
  database: async ({}, use) => {
    const dir = path.join(tmpdir(), `tuppence-restart-${randomBytes(6).toString('hex')}`);
    const start = (port?: number) => startPostgres({ dir, port, fsync: false });
    let running: Postgres = await start();
    const { port, databaseUrl } = running;
    const query: OwnDatabase['query'] = async (sql, values = []) => {
      const client = new Client({ connectionString: databaseUrl });
      await client.connect();
      try {
        return (await client.query(sql, [...values])).rows;
      } finally {
        await client.end();
      }
    };
    await use({
      url: databaseUrl,
      query,
      stop: () => running.stop(),
      async start() {
        running = await start(port);
      },
      async holdUploads() {
        const holder = new Client({ connectionString: databaseUrl });
        // Its connection is meant to end with the database server.
        holder.on('error', () => undefined);
        await holder.connect();
        await holder.query('BEGIN');
        await holder.query('LOCK TABLE upload IN SHARE ROW EXCLUSIVE MODE');
        const waiting = `SELECT query FROM pg_stat_activity WHERE cardinality(pg_blocking_pids(pid)) > 0`;
        return async () => (await query<{ query: string }>(waiting)).map((row) => row.query);
      },
    });
    await running.stop();
    for (const place of [locatePostgresData(dir), `${locatePostgresData(dir)}.log`]) {
      await rm(place, { recursive: true, force: true });
    }
  },
  rig: async ({ database }, use) => {
    const rig = await startRig();
    await rig.start({ DATABASE_URL: database.url, WORKER: 'separate' });
    await use(rig);
    await rig.close();
  },
  worker: async ({ rig, database }, use) => {
    const other = await startRig({ beside: rig });
    const env = { ...other.serverEnv, DATABASE_URL: database.url, LOG_LEVEL: 'debug' };
    const worker = await startWorker(env, rig.server());
    await use(worker);
    await worker.kill();
    await other.close();
  },
});

const makeJobDue = (database: OwnDatabase) =>
  database.query(`UPDATE turn SET due_at = now() WHERE job = 'expire-uploads'`);

test('a database restart during a call and a job loses neither: server and worker reconnect and finish both', async ({
  rig,
  database,
  worker,
}) => {
  const ran = () => worker.output().match(/"job":"expire-uploads".*"a job ran"/g)?.length ?? 0;
  const ended = () => worker.output().match(/"job":"expire-uploads".*"a job (ran|failed)"/g)?.length ?? 0;
  const waiting = await database.holdUploads();
  const wallet = await rig.newEvmPayer();
  const first = ask(await sign(rig, wallet)).catch(() => null);
  await makeJobDue(database);
  await until('the call and the job at the lock', async () => {
    const statements = await waiting();
    return ['INSERT INTO upload', 'UPDATE upload'].every((start) =>
      statements.some((statement) => statement.includes(start)),
    );
  });
  const endedBefore = ended();
  await database.stop();
  const answer = await first;
  if (answer?.status !== 200)
    expect(answer?.body.error ?? { retry: 'same_request' }).toMatchObject({ retry: 'same_request' });
  // The job fails without a database, or completes if the blocking connection ends before its own.
  await until('the end of the job', async () => ended() > endedBefore);
  await database.start();
  await untilState(database, wallet.address, 'delivered', 20_000);
  const before = ran();
  await makeJobDue(database);
  await until('a later run', async () => ran() > before);
  expect(await transfersOf(rig, wallet.address)).toHaveLength(1);
  expect(await uploadsOf(database, wallet.address)).toHaveLength(1);
});
