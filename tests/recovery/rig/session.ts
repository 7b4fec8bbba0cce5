import { Client, type QueryResultRow } from 'pg';

/** One connection that bypasses the rig's proxy, opened when first needed. */
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
