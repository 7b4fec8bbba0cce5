// Baseline of `replay`: one row of paid_call by its primary key, through a pool as large as ours, and an answer as long.
import { Pool } from 'pg';

const pool = new Pool({
  connectionString: process.env.DATABASE_URL,
  max: Number(process.env.DATABASE_POOL),
});
const id = process.env.BENCH_PAID_CALL_ID;
const body = 'x'.repeat(Number(process.env.BENCH_ANSWER_LENGTH));

export async function POST(): Promise<Response> {
  const { rows } = await pool.query('SELECT * FROM paid_call WHERE id = $1', [id]);
  return new Response(body, { status: rows.length === 1 ? 200 : 404 });
}
