import pg from 'pg';
import { insertAccount, insertCalls, type LoadedLedger } from './loaded-rows';

const callsPerStatement = 50_000;

const tables = [
  'settlement_transaction',
  'paid_call',
  'paid_call_move',
  'posting',
  'upload',
  'form',
  'form_response',
];

/**
 * Drops foreign keys and secondary indexes while rows are written and recreates them afterwards: checking and building them
 * all at once takes a fraction of the time. Recreating them fails if the rows violate them.
 */
async function withoutIndexes(client: pg.Client, write: () => Promise<void>): Promise<void> {
  const { rows } = await client.query<{ drop: string; make: string }>(
    `SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) AS drop,
       format('ALTER TABLE %s ADD CONSTRAINT %I %s', conrelid::regclass, conname, pg_get_constraintdef(oid)) AS make
     FROM pg_constraint WHERE contype = 'f' AND conrelid::regclass::text = ANY($1)
     UNION ALL
     SELECT format('DROP INDEX %s', indexrelid::regclass), pg_get_indexdef(indexrelid)
     FROM pg_index WHERE NOT indisprimary AND indrelid::regclass::text = ANY($1)`,
    [tables],
  );
  for (const { drop } of rows) await client.query(drop);
  await write();
  // Indexes first, because checking the foreign keys uses them.
  for (const { make } of rows.toReversed()) await client.query(make);
}

/**
 * Fills an empty ledger with delivered, final calls of the past year, each with its moves, postings, settlement and effect.
 * Most are uploads, a hundredth are forms with all their answers, and a tenth are paid from one prepaid account, which deposits
 * filled. Only the files of the last week, the forms of the last 37 days, and the answers and signed payments of the last 38
 * days remain. Rows are as long as real ones, satisfy every constraint of production and match what its triggers would have
 * written, so the audit finds no fault.
 */
export async function loadLedger(databaseUrl: string, ledger: LoadedLedger): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    // After a crash, the data would be useless anyway.
    await client.query('SET synchronous_commit = off');
    // A year's rows are written at once, so the triggers that would write them one by one are disabled.
    await client.query('SET session_replication_role = replica');
    await withoutIndexes(client, async () => {
      for (const text of insertAccount(ledger)) await client.query(text);
      for (let first = 1; first <= ledger.calls; first += callsPerStatement) {
        const last = Math.min(ledger.calls, first + callsPerStatement - 1);
        for (const text of insertCalls(ledger, first, last)) await client.query(text);
        process.stderr.write(`  ${last} of ${ledger.calls} calls in the ledger\n`);
      }
    });
    await client.query('VACUUM ANALYZE');
    await client.query('CHECKPOINT');
  } finally {
    await client.end();
  }
}
