import { Client, DatabaseError } from 'pg';
import { findMissingMigrations } from '@/lib/platform/database/migrate';
import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';
import type { Settings } from '@/lib/platform/settings';
import { type Finding, failed, ok, warning } from './finding';
import { checkStoredContent } from './stored-content';

const oldestVersion = 14;
const connectMs = 5_000;
/** Connections besides those of the servers: the operator's own, and those that PostgreSQL reserves for superusers. */
const spareConnections = 10;
/** Leases and time limits compare the clocks of several machines. */
const clockDifferenceMaxMs = 2_000;

interface Facts {
  readonly version: number;
  readonly version_text: string;
  readonly encoding: string;
  readonly connections: number;
  readonly is_read_only: boolean;
  readonly may_create: boolean;
  readonly now_ms: number;
}

/** Checks the database without changing it. */
export async function checkDatabase(
  { settings, keys }: Pick<Platform, 'settings' | 'keys'>,
  now: () => number,
): Promise<Finding[]> {
  const client = new Client({
    connectionString: settings.DATABASE_URL,
    connectionTimeoutMillis: connectMs,
    query_timeout: connectMs,
  });
  try {
    await client.connect();
    const sentMs = now();
    const { rows } = await client.query<Facts>(
      `SELECT current_setting('server_version_num')::integer / 10000 AS version, current_setting('server_version') AS version_text,
         current_setting('server_encoding') AS encoding, current_setting('max_connections')::integer AS connections,
         current_setting('transaction_read_only') = 'on' AS is_read_only,
         has_schema_privilege(current_schema(), 'CREATE') AS may_create,
         EXTRACT(epoch FROM clock_timestamp())::float8 * 1000 AS now_ms`,
    );
    const [facts] = rows;
    if (!facts) throw new Error('the database returned nothing');
    const differenceMs = facts.now_ms - (sentMs + now()) / 2;
    return [
      ...checkFacts(settings, facts),
      checkClock(differenceMs),
      await checkMigrations(settings.DATABASE_URL, facts.may_create),
      ...(await checkInstallation(client, settings)),
      ...(await checkStoredContent(client, keys)),
    ];
  } catch (error) {
    return [failed('database', describeError(error).message || 'it does not respond', adviceFor(error))];
  } finally {
    await client.end().catch(() => undefined);
  }
}

function adviceFor(error: unknown): string {
  const code = error instanceof DatabaseError ? error.code : undefined;
  if (code === '3D000') return 'Create the database that DATABASE_URL names.';
  if (code?.startsWith('28')) return 'Correct the user and the password in DATABASE_URL.';
  return 'Check that PostgreSQL runs, and that DATABASE_URL has its host, port, user, password and database.';
}

function checkFacts(settings: Settings, facts: Facts): Finding[] {
  const found: Finding[] = [];
  if (facts.version < oldestVersion) {
    const advice = `Use PostgreSQL ${oldestVersion} or later.`;
    found.push(failed('database', `it is PostgreSQL ${facts.version_text}`, advice));
  }
  if (facts.encoding !== 'UTF8') {
    found.push(failed('database', `its encoding is ${facts.encoding}`, "Create it with ENCODING 'UTF8'."));
  }
  if (facts.is_read_only) {
    found.push(failed('database', 'it is read-only', 'Point DATABASE_URL at the primary, not at a replica.'));
  }
  const wanted = settings.DATABASE_POOL * settings.PROCESSES;
  if (wanted + spareConnections > facts.connections) {
    found.push(
      warning(
        'DATABASE_POOL',
        `the processes may open ${wanted} connections, and the database allows ${facts.connections} in all`,
        'Lower DATABASE_POOL or PROCESSES, or raise max_connections of PostgreSQL.',
      ),
    );
  }
  return found.length === 0 ? [ok('database', `PostgreSQL ${facts.version_text}`)] : found;
}

function checkClock(differenceMs: number): Finding {
  const seconds = (Math.abs(differenceMs) / 1_000).toFixed(1);
  if (Math.abs(differenceMs) <= clockDifferenceMaxMs)
    return ok('clock', 'this machine and the database agree on the time');
  return failed(
    'clock',
    `this machine is ${seconds} seconds ${differenceMs > 0 ? 'behind' : 'ahead of'} the database`,
    'Synchronize the clocks of both machines, for example with chrony.',
  );
}

/** Whether the database is bound to the networks of NETWORKS. A database that no server has used yet is bound to none. */
async function checkInstallation(client: Client, { NETWORKS }: Settings): Promise<Finding[]> {
  const { rows: tables } = await client.query("SELECT to_regclass('installation') IS NOT NULL AS exists");
  if (!tables[0]?.exists) return [];
  const { rows } = await client.query<{ networks: string }>('SELECT networks FROM installation');
  const found = rows[0]?.networks;
  if (found === undefined || found === NETWORKS) return [ok('NETWORKS', `${NETWORKS} networks`)];
  return [
    failed(
      'NETWORKS',
      `it is ${NETWORKS}, and the database belongs to ${found} networks`,
      `Set NETWORKS=${found}, or point DATABASE_URL at another database.`,
    ),
  ];
}

async function checkMigrations(databaseUrl: string, mayCreate: boolean): Promise<Finding> {
  try {
    const missing = await findMissingMigrations(databaseUrl);
    if (missing.length === 0) return ok('migrations', 'every migration is applied');
    const message = `${missing.length} to apply, which the next start does`;
    if (mayCreate) return ok('migrations', message);
    return failed(
      'migrations',
      `${missing.length} to apply, and the user of DATABASE_URL may not create tables`,
      'Grant it CREATE on the schema.',
    );
  } catch (error) {
    return failed(
      'migrations',
      describeError(error).message,
      'Restore the migration that was edited, or repair the one that failed. See docs/operating.md.',
    );
  }
}
