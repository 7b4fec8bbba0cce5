import { Pool } from 'pg';
import { stack } from './stack';

let pool: Pool | undefined;

/** Queries or changes the server's database, for example to move timestamps into the past. */
export async function sql<Row extends object>(text: string, values: readonly unknown[] = []): Promise<Row[]> {
  pool ??= new Pool({ connectionString: stack().databaseUrl, max: 2, allowExitOnIdle: true });
  return (await pool.query(text, [...values])).rows as Row[];
}

/** How many paid calls a wallet has, in any state. */
export async function callsOf(payer: string): Promise<number> {
  const [row] = await sql<{ count: string }>('SELECT count(*) FROM paid_call WHERE payer = $1', [payer]);
  return Number(row?.count);
}

/** How many uploads a wallet owns. */
export async function uploadsOf(owner: string): Promise<number> {
  const [row] = await sql<{ count: string }>('SELECT count(*) FROM upload WHERE owner = $1', [owner]);
  return Number(row?.count);
}
