import { Client, DatabaseError } from 'pg';
import { listed, openStates, underWayStates } from '@/lib/ledger/states';
import { configuredOffers } from '@/lib/payments/network-offers';
import { networkTable } from '@/lib/payments/network-table';
import type { DataKeys } from '@/lib/platform/data-keys';
import { findMissingMigrations } from '@/lib/platform/database/migrate';
import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';
import type { Settings } from '@/lib/platform/settings';
import { type Finding, failed, ok, warning } from './finding';

const rowsMax = 50;

/**
 * A sample of the encrypted content: one response for each half day of the time that responses are kept, the open calls that
 * are due first, and answers to the forms that are erased first and last. Keys follow one another in time, so the sample
 * includes content that a missing key has encrypted.
 */
const samples = `
  WITH response AS (
    SELECT DISTINCT ON (found.id) found.answer
    FROM generate_series(now(), now() + interval '38 days', interval '12 hours') AS moment
    CROSS JOIN LATERAL (
      SELECT id, answer FROM paid_call WHERE answer IS NOT NULL AND answer_expires_at >= moment
      ORDER BY answer_expires_at LIMIT 1
    ) AS found
  ), open_call AS (
    SELECT payment FROM paid_call WHERE state IN ${listed(openStates)} AND payment IS NOT NULL
    ORDER BY attempt_at LIMIT ${rowsMax}
  ), form_answer AS (
    (SELECT answers FROM form JOIN form_response ON form_id = form.id WHERE erased_at IS NULL AND answers IS NOT NULL
     ORDER BY readable_until LIMIT ${rowsMax})
    UNION ALL
    (SELECT answers FROM form JOIN form_response ON form_id = form.id WHERE erased_at IS NULL AND answers IS NOT NULL
     ORDER BY readable_until DESC LIMIT ${rowsMax})
  )
  SELECT 'stored responses' AS kind, answer AS content FROM response
  UNION ALL SELECT 'open calls', payment FROM open_call
  UNION ALL SELECT 'answers to forms', answers FROM form_answer`;

/** Whether all of these tables exist. A database that no server has used yet has none. */
async function haveTables(client: Client, ...names: readonly string[]): Promise<boolean> {
  const { rows } = await client.query<{ exist: boolean }>(
    'SELECT bool_and(to_regclass(name) IS NOT NULL) AS exist FROM unnest($1::text[]) AS name',
    [names],
  );
  return rows[0]?.exist ?? false;
}

/** Tries to decrypt stored content with DATA_KEY. Returns no finding when the tables do not exist yet. */
async function checkStoredContent(client: Client, keys: DataKeys): Promise<Finding[]> {
  if (!(await haveTables(client, 'paid_call', 'form_response'))) return [];
  const { rows } = await client.query<{ kind: string; content: Buffer }>(samples);
  const unreadable = rows.filter(({ content }) => keys.tryDecrypt(content) === null);
  if (rows.length === 0) return [ok('DATA_KEY', 'nothing that needs it is stored yet')];
  if (unreadable.length === 0) return [ok('DATA_KEY', `it opens what is stored (${rows.length} rows tried)`)];
  const kinds = [...new Set(unreadable.map(({ kind }) => kind))].join(', ');
  return [
    warning(
      'DATA_KEY',
      `${unreadable.length} of ${rows.length} rows that were tried were encrypted with a key that is not set (${kinds})`,
      'Add the key that encrypted them to DATA_KEY, after the newest one. Without it their callers get 410 response_expired, and open calls are not delivered.',
    ),
  ];
}

/** Finds calls without an answer on networks whose chains nobody reads, because no RPC of theirs is set any more. */
async function checkNetworksOfCalls(client: Client, settings: Settings): Promise<Finding[]> {
  if (!(await haveTables(client, 'paid_call'))) return [];
  const configured = new Set<string>(configuredOffers(settings).map(({ network }) => network.name));
  const { rows } = await client.query<{ network: string; calls: number }>(
    `SELECT network, count(*)::integer AS calls FROM paid_call WHERE state IN ${listed(underWayStates)}
     GROUP BY network ORDER BY network`,
  );
  return rows.flatMap(({ network, calls }) => {
    const known = networkTable[settings.NETWORKS].find(({ name }) => name === network);
    if (!known || configured.has(network)) return [];
    const setting = `${known.setting}_RPC_URL`;
    const counted = `${calls} paid ${calls === 1 ? 'call' : 'calls'}`;
    return [
      warning(
        network,
        `${counted} on it without an answer, and ${setting} is not set`,
        `Set ${setting} again until these calls are finished. See "Removing a network" in docs/operating.md.`,
      ),
    ];
  });
}

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
      ...(await checkNetworksOfCalls(client, settings)),
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
  if (!(await haveTables(client, 'installation'))) return [];
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
      'The server does not start until this is repaired. See "Upgrades" in docs/operating.md.',
    );
  }
}
