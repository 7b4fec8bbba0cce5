import { randomBytes } from 'node:crypto';
import { Client, type QueryResultRow } from 'pg';
import { stack } from '../../support/stack';

/** A database of its own on the stack's server; `ends` gets what removes it. */
export async function createDatabase(ends: (() => Promise<unknown>)[]): Promise<string> {
  const name = `recovery_${randomBytes(6).toString('hex')}`;
  const url = new URL(stack().databaseUrl);
  await administer(`CREATE DATABASE "${name}"`);
  ends.push(() => administer(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`));
  url.pathname = `/${name}`;
  return url.href;
}

async function administer(sql: string): Promise<void> {
  const url = new URL(stack().databaseUrl);
  url.pathname = '/postgres';
  const client = new Client({ connectionString: url.href });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** One connection past the rig's proxy, opened when it is first needed. */
export function openSession(connectionString: string) {
  let client: Promise<Client> | undefined;
  const connect = async () => {
    const opened = new Client({ connectionString });
    await opened.connect();
    return opened;
  };
  return {
    async query<Row extends QueryResultRow>(sql: string, values: readonly unknown[] = []): Promise<Row[]> {
      client ??= connect();
      return (await (await client).query<Row>(sql, [...values])).rows;
    },
    async close() {
      await (await client)?.end();
      client = undefined;
    },
  };
}
