import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { cpuMs } from './cpu-time';

/** What some work cost PostgreSQL. */
export interface DatabaseCost {
  /** Transactions, which are statements in our case: none of ours has two. */
  readonly statements: number;
  /** Bytes of its write-ahead log. */
  readonly walBytes: number;
  /** CPU time of all its processes; null where there is no /proc. */
  readonly cpuMs: number | null;
}

/** Sessions report their activity when they have been idle for a second. */
const reportedWithinMs = 1_500;

/**
 * Measures what work costs a PostgreSQL server that does nothing else in the meantime. A checkpoint comes first: after one,
 * each page that is touched is logged in full, so this measures the most expensive case.
 * @param serverPid the parent process of the server's sessions
 */
export async function measureDatabaseCost<T>(
  databaseUrl: string,
  serverPid: number,
  work: () => Promise<T>,
): Promise<{ result: T; cost: DatabaseCost }> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await client.query('CHECKPOINT');
    await sleep(reportedWithinMs);
    const before = await countersOf(client, serverPid);
    const result = await work();
    await sleep(reportedWithinMs);
    const after = await countersOf(client, serverPid);
    const cost = {
      statements: after.statements - before.statements,
      walBytes: after.walBytes - before.walBytes,
      cpuMs: after.cpuMs === null || before.cpuMs === null ? null : after.cpuMs - before.cpuMs,
    };
    return { result, cost };
  } finally {
    await client.end();
  }
}

async function countersOf(client: pg.Client, serverPid: number): Promise<DatabaseCost> {
  const { rows } = await client.query<{ statements: number; wal: number }>(
    `SELECT (xact_commit + xact_rollback)::float8 AS statements, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS wal
     FROM pg_stat_database WHERE datname = current_database()`,
  );
  const { statements = 0, wal = 0 } = rows[0] ?? {};
  return { statements, walBytes: wal, cpuMs: cpuOfServer(serverPid) };
}

/** CPU time of a server's process and its children, including those that have exited. */
function cpuOfServer(serverPid: number): number | null {
  if (!existsSync('/proc')) return null;
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === serverPid);
  const ofChildren = children.map((pid) => cpuMs(Number(pid)) ?? 0);
  return ofChildren.reduce((total, ms) => total + ms, cpuMs(serverPid) ?? 0);
}

function parentOf(pid: string): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    // The process has exited.
    return null;
  }
}
