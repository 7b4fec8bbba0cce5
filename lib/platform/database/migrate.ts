import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Client, DatabaseError } from 'pg';

/**
 * Applies prisma/migrations without Prisma's engine, whose adapter would split trigger bodies at their semicolons and commit
 * each statement separately. Here a migration and the row that records it are one transaction, so an instance that is killed
 * leaves nothing half done. The rows have Prisma's format, so its command line reads the same history
 * (tests/repo/migrations.spec.ts).
 */

export interface Migration {
  /** The folder's name: `20261126210000_baseline`. */
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the file, hex, as Prisma records it. */
  readonly checksum: string;
}

interface Recorded {
  migration_name: string;
  checksum: string;
  finished_at: Date | null;
}

/** The lock that Prisma's command line uses too, so that the two wait for each other. */
const migrationLock = 72707369;

/** PostgreSQL's code for a table that does not exist. */
const undefinedTable = '42P01';

/** Prisma's table, as its engine creates it. */
const historyTable = `
  CREATE TABLE IF NOT EXISTS "_prisma_migrations" (
    "id" VARCHAR(36) PRIMARY KEY NOT NULL,
    "checksum" VARCHAR(64) NOT NULL,
    "finished_at" TIMESTAMPTZ,
    "migration_name" VARCHAR(255) NOT NULL,
    "logs" TEXT,
    "rolled_back_at" TIMESTAMPTZ,
    "started_at" TIMESTAMPTZ NOT NULL DEFAULT now(),
    "applied_steps_count" INTEGER NOT NULL DEFAULT 0
  )`;

/** The migrations of a folder, oldest first. */
export async function readMigrations(
  // Without this comment the build would trace the whole repository. next.config.mjs names this folder.
  folder = path.join(/* turbopackIgnore: true */ process.cwd(), 'prisma/migrations'),
): Promise<Migration[]> {
  const entries = await readdir(/* turbopackIgnore: true */ folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => {
      const sql = await readFile(
        path.join(/* turbopackIgnore: true */ folder, name, 'migration.sql'),
        'utf8',
      );
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

/**
 * Applies all missing migrations and returns their names. Several instances may start at once and take turns. Throws
 * when a migration fails, was edited after it was applied, or was left unfinished by another tool, and when the database has
 * a history that does not begin with our first migration. The database then stays at the last successful migration.
 */
export async function applyMigrations(databaseUrl: string, folder?: string): Promise<string[]> {
  const migrations = await readMigrations(folder);
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    if (await isUpToDate(client, migrations)) return [];
    const applied: string[] = [];
    for (;;) {
      const name = await applyNext(client, migrations);
      if (name === null) return applied;
      applied.push(name);
    }
  } finally {
    await client.end();
  }
}

/**
 * The names of the migrations that the next start will apply. Changes nothing. Throws when one was edited after it was applied,
 * or was left unfinished, and when the database has another history.
 */
export async function findMissingMigrations(databaseUrl: string): Promise<string[]> {
  const migrations = await readMigrations();
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const history = await readHistory(client);
    if (findNext(migrations, history) === undefined) return [];
    const known = new Set(history.map(({ migration_name }) => migration_name));
    return migrations.map(({ name }) => name).filter((name) => !known.has(name));
  } finally {
    await client.end();
  }
}

/** Whether nothing is missing, as at nearly every start: takes one statement, and waits for no lock. */
async function isUpToDate(client: Client, migrations: readonly Migration[]): Promise<boolean> {
  try {
    return findNext(migrations, await readRows(client)) === undefined;
  } catch (error) {
    // A new database has no such table.
    if (error instanceof DatabaseError && error.code === undefinedTable) return false;
    throw error;
  }
}

/** Applies the oldest missing migration; null when none is missing. */
async function applyNext(client: Client, migrations: readonly Migration[]): Promise<string | null> {
  await client.query('BEGIN');
  try {
    // Held until the end of the transaction, so that it also works with a connection pooler.
    await client.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
    const next = findNext(migrations, await readHistory(client));
    if (next) {
      await client.query(historyTable);
      await runScript(client, next);
      await client.query(
        `INSERT INTO "_prisma_migrations" (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
         VALUES ($1, $2, $3, now(), clock_timestamp(), 1)`,
        [randomUUID(), next.checksum, next.name],
      );
    }
    await client.query('COMMIT');
    return next?.name ?? null;
  } catch (error) {
    // The connection may have failed. The first error is the one to report.
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

async function readHistory(client: Client): Promise<Recorded[]> {
  const table = await client.query<{ present: boolean }>(
    `SELECT to_regclass('"_prisma_migrations"') IS NOT NULL AS present`,
  );
  if (!table.rows[0]?.present) return [];
  return readRows(client);
}

async function readRows(client: Client): Promise<Recorded[]> {
  const history = await client.query<Recorded>(
    'SELECT migration_name, checksum, finished_at FROM "_prisma_migrations" WHERE rolled_back_at IS NULL',
  );
  return history.rows;
}

/**
 * Migrations that only the history has are not an error: a newer version has run on this database. But every history of
 * ours begins with the same migration.
 */
function findNext(migrations: readonly Migration[], history: readonly Recorded[]): Migration | undefined {
  const [first] = migrations;
  const [stranger] = history;
  if (first && stranger && !history.some((row) => row.migration_name === first.name)) {
    throw new Error(
      `This database has migrations of another program or of a version from before the first release, such as ${stranger.migration_name}, and not ${first.name}, with which every database of this version begins. Point DATABASE_URL at a new, empty database.`,
    );
  }
  for (const migration of migrations) {
    const recorded = history.find((row) => row.migration_name === migration.name);
    if (!recorded) return migration;
    if (!recorded.finished_at) {
      throw new Error(
        `Migration ${migration.name} was begun by another tool and did not finish. Repair it, then run: prisma migrate resolve`,
      );
    }
    if (recorded.checksum !== migration.checksum) {
      throw new Error(
        `Migration ${migration.name} was edited after this database had applied it. Restore the file of the release.`,
      );
    }
  }
  return undefined;
}

async function runScript(client: Client, migration: Migration): Promise<void> {
  try {
    await client.query(migration.sql);
  } catch (cause) {
    throw new Error(`Migration ${migration.name} failed: ${describeFailure(cause, migration.sql)}`, {
      cause,
    });
  }
}

/** PostgreSQL's message, with the line of the script if it names one. */
function describeFailure(error: unknown, sql: string): string {
  if (!(error instanceof Error)) return String(error);
  if (!('position' in error) || typeof error.position !== 'string') return error.message;
  const line = sql.slice(0, Number(error.position)).split('\n').length;
  return `${error.message} (line ${line})`;
}
