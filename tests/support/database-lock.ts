import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';

/** A lock that stops the server between two statements. */
export interface DatabaseLock {
  /** Waits until the lock blocks a statement of the server. */
  reached(timeoutMs?: number): Promise<void>;
  /** Unblocks the waiting statements, with nothing changed. */
  release(): Promise<void>;
  /** Commits what the test has written, and unblocks the waiting statements. */
  commit(): Promise<void>;
  /** Also cancels the waiting statements, which PostgreSQL would otherwise run even after their client has died. */
  abandon(): Promise<void>;
}

/**
 * Blocks every change to a table; reads and foreign-key checks continue.
 * @param text occurs in the statements that count as having reached the lock; needed where jobs could reach it too
 */
export function lockTable(databaseUrl: string, table: string, text = ''): Promise<DatabaseLock> {
  return lock(
    databaseUrl,
    (client) => client.query(`LOCK TABLE ${client.escapeIdentifier(table)} IN SHARE ROW EXCLUSIVE MODE`),
    text,
  );
}

/**
 * Stops a server where it records a settlement transaction that it is about to send. Outcomes of earlier calls, which
 * recovery records in the same table, do not count as having reached the lock.
 */
export function lockSending(databaseUrl: string): Promise<DatabaseLock> {
  return lockTable(
    databaseUrl,
    'settlement_transaction',
    'INSERT INTO settlement_transaction (id, network, signer',
  );
}

/** Blocks every change to a payer's rows in paid_call. */
export function lockPaidCalls(databaseUrl: string, payer: string): Promise<DatabaseLock> {
  return lock(databaseUrl, (client) =>
    client.query('SELECT id FROM paid_call WHERE payer = $1 FOR UPDATE', [payer]),
  );
}

/** Makes a change that blocks others until the test commits it or rolls it back. */
export function writeAndHold(databaseUrl: string, sql: string, values: unknown[]): Promise<DatabaseLock> {
  return lock(databaseUrl, (client) => client.query(sql, values));
}

/** @param text occurs in the statements that count as having reached the lock */
async function lock(
  databaseUrl: string,
  take: (client: Client) => Promise<unknown>,
  text = '',
): Promise<DatabaseLock> {
  const holder = new Client({ connectionString: databaseUrl });
  const watcher = new Client({ connectionString: databaseUrl });
  await Promise.all([holder.connect(), watcher.connect()]);
  const { rows } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  const pid = rows[0]?.pid;
  await holder.query('BEGIN');
  await take(holder);
  let isOver = false;
  const end = async (sql?: string, how: 'ROLLBACK' | 'COMMIT' = 'ROLLBACK') => {
    if (isOver) return;
    isOver = true;
    if (sql) await watcher.query(sql, [pid]);
    await holder.query(how);
    await Promise.all([holder.end(), watcher.end()]);
  };
  return {
    async reached(timeoutMs = 30_000) {
      const deadline = Date.now() + timeoutMs;
      for (;;) {
        const waiting = await watcher.query(
          'SELECT 1 FROM pg_stat_activity WHERE $1 = ANY(pg_blocking_pids(pid)) AND strpos(query, $2) > 0 LIMIT 1',
          [pid, text],
        );
        if (waiting.rowCount) return;
        if (Date.now() > deadline) throw new Error('nobody came to the lock');
        await sleep(20);
      }
    },
    release: () => end(),
    commit: () => end(undefined, 'COMMIT'),
    abandon: () =>
      end('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE $1 = ANY(pg_blocking_pids(pid))'),
  };
}
