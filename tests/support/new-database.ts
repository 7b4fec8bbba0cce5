import { randomBytes } from 'node:crypto';
import { Client, escapeIdentifier } from 'pg';
import { applyMigrations } from '@/lib/platform/database/migrate';
import { databaseServerUrl } from './database-server';

const template = 'migrated_template';

export interface NewDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** Creates the database that `migratedDatabase` copies, on the server at `url`. */
export async function makeTemplate(url: string): Promise<void> {
  await administer(url, `CREATE DATABASE ${template}`);
  await applyMigrations(urlOf(url, template));
}

/** A new database on the run's server with all tables and no rows. Copying is faster than migrating. */
export function migratedDatabase(): Promise<NewDatabase> {
  return create(`TEMPLATE ${template}`);
}

/** The same without tables. */
export function emptyDatabase(): Promise<NewDatabase> {
  return create('');
}

async function create(from: string): Promise<NewDatabase> {
  const databaseUrl = databaseServerUrl();
  const name = `test_${randomBytes(6).toString('hex')}`;
  await administer(databaseUrl, `CREATE DATABASE ${name} ${from}`);
  return {
    url: urlOf(databaseUrl, name),
    drop: () => drop(databaseUrl, escapeIdentifier(name)),
  };
}

/**
 * Waits for connections that are being closed. Pools report that they have ended before PostgreSQL has noticed, and a
 * connection that is cut would fail the test. After five seconds PostgreSQL gives up, and the remaining ones are cut.
 */
async function drop(databaseUrl: string, name: string): Promise<void> {
  const statement = `DROP DATABASE IF EXISTS ${name}`;
  await administer(databaseUrl, statement).catch(() => administer(databaseUrl, `${statement} WITH (FORCE)`));
}

function urlOf(databaseUrl: string, name: string): string {
  const url = new URL(databaseUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function administer(databaseUrl: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: urlOf(databaseUrl, 'postgres') });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
