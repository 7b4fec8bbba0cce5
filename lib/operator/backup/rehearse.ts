import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { applyMigrations } from '@/lib/platform/database/migrate';
import { hourMs } from '@/lib/platform/durations';
import type { Platform } from '@/lib/platform/platform';
import type { Check } from '../audit/audit-session';
import { auditLedger } from '../audit/findings';
import { checkDatabase } from '../doctor/database';

/** What a dump turned out to be worth. */
export interface Rehearsal {
  readonly seconds: number;
  readonly counts: Readonly<Record<'calls' | 'postings' | 'accounts' | 'uploads' | 'forms', number>>;
  /** When a call last changed in it; null without a call. */
  readonly changedAt: string | null;
  readonly hours: number | null;
  readonly problems: readonly string[];
}

interface Rehearsed {
  readonly file: string;
  /** The address of a database on the server; only its name is replaced. */
  readonly server: string;
  /** What optional features promise. */
  readonly checks: readonly Check[];
  /** For the program that restores. */
  readonly env: Environment;
}

type Environment = Readonly<Record<string, string | undefined>>;

interface RehearseDeps extends Pick<Platform, 'settings' | 'keys' | 'clock'> {}

/** Whole tables are read. */
const statementMs = hourMs;

/**
 * Restores a dump into a database of its own, looks at it, and drops it.
 * @throws Error when the dump cannot be restored, with what the program says
 */
export async function rehearse(
  app: RehearseDeps,
  { file, server, checks, env }: Rehearsed,
): Promise<Rehearsal> {
  const name = `tuppence_rehearsal_${randomBytes(6).toString('hex')}`;
  const url = new URL(server);
  url.pathname = `/${name}`;
  await ask(server, `CREATE DATABASE ${name}`);
  try {
    const beganMs = app.clock.monotonic();
    await restore(file, url, env);
    const seconds = Math.round((app.clock.monotonic() - beganMs) / 1_000);
    const problems = await problemsOf(app, url.href, checks);
    return { seconds, problems, ...(await contentOf(url.href, app.clock.now())) };
  } finally {
    await ask(server, `DROP DATABASE ${name} WITH (FORCE)`);
  }
}

/** The program that restores a dump: its format is in its first bytes. */
async function restore(file: string, url: URL, given: Environment): Promise<void> {
  const handle = await open(file);
  const { buffer } = await handle.read(Buffer.alloc(5), 0, 5, 0).finally(() => handle.close());
  const isArchive = buffer.toString('latin1') === 'PGDMP';
  const program = isArchive ? 'pg_restore' : 'psql';
  const args = isArchive
    ? ['--exit-on-error', '--no-owner', '--no-privileges', '--dbname', url.pathname.slice(1), file]
    : ['--no-psqlrc', '--quiet', '--set', 'ON_ERROR_STOP=1', '--file', file];
  // In the environment, because the arguments of a process can be seen by others.
  const env = {
    NODE_ENV: 'production' as const,
    ...given,
    PGHOST: url.hostname || url.searchParams.get('host') || '',
    PGPORT: url.port || '5432',
    PGUSER: decodeURIComponent(url.username),
    PGPASSWORD: decodeURIComponent(url.password),
    PGDATABASE: url.pathname.slice(1),
    PGSSLMODE: url.searchParams.get('sslmode') ?? 'prefer',
  };
  try {
    await promisify(execFile)(program, args, { env, maxBuffer: 64 * 1024 * 1024 });
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (isMissing) throw new Error(`${program} is not installed. Install the client programs of PostgreSQL.`);
    const told = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    throw new Error(`The dump cannot be restored: ${told.split('\n')[0] || `${program} failed`}`);
  }
}

/** What is wrong with the restored database, as far as it can tell by itself. */
async function problemsOf(app: RehearseDeps, url: string, checks: readonly Check[]): Promise<string[]> {
  const settings = { ...app.settings, DATABASE_URL: url };
  const found = await checkDatabase({ settings, keys: app.keys }, app.clock.now);
  const ofDatabase = found
    .filter(({ status, about }) => status === 'failed' || (status === 'warning' && about === 'DATA_KEY'))
    .map(({ about, message }) => `${about}: ${message}`);
  // As the next start does. The audit reads the tables of this version.
  await applyMigrations(url);
  const pool = new pg.Pool({ connectionString: url, query_timeout: statementMs, max: 1 });
  try {
    const counts = new Map<string, number>();
    for await (const { promise } of auditLedger(app.clock, pool, [], checks))
      counts.set(promise, (counts.get(promise) ?? 0) + 1);
    return [...ofDatabase, ...[...counts].map(([promise, count]) => `${promise} (${count} findings)`)];
  } finally {
    await pool.end();
  }
}

interface Described {
  readonly counts: Rehearsal['counts'];
  readonly changedAt: Date | null;
}

async function contentOf(
  url: string,
  nowMs: number,
): Promise<Pick<Rehearsal, 'counts' | 'changedAt' | 'hours'>> {
  const [row] = await ask<Described>(
    url,
    `SELECT json_build_object('calls', (SELECT count(*) FROM paid_call), 'postings', (SELECT count(*) FROM posting),
       'accounts', (SELECT count(*) FROM account), 'uploads', (SELECT count(*) FROM upload),
       'forms', (SELECT count(*) FROM form)) AS counts, (SELECT max(at) FROM paid_call_move) AS "changedAt"`,
  );
  if (!row) throw new Error('the database returned nothing');
  const { counts, changedAt } = row;
  return {
    counts,
    changedAt: changedAt?.toISOString() ?? null,
    hours: changedAt && Math.floor((nowMs - changedAt.getTime()) / hourMs),
  };
}

/** Sends one statement on a connection of its own. */
async function ask<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}
