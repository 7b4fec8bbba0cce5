import { Client } from 'pg';
import { stack } from './stack';

/** Asks the server's database what was written, or lets time pass in it. */
export async function sql<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
  const client = new Client({ connectionString: stack().databaseUrl });
  await client.connect();
  try {
    return (await client.query(text, [...values])).rows as Row[];
  } finally {
    await client.end();
  }
}

/** How many paid calls a wallet has, in any state. */
export async function callsOf(payer: string): Promise<number> {
  const [row] = await sql<{ count: string }>('SELECT count(*) FROM paid_call WHERE payer = $1', [payer]);
  return Number(row?.count);
}
