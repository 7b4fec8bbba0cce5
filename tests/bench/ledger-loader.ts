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
 * Takes foreign keys and secondary indexes away while rows are written, and makes them again afterwards: checked and
 * built at once they take a fraction of the time. What the rows would break, making them again refuses.
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
  // Indexes first: the foreign keys are checked by them.
  for (const { make } of rows.toReversed()) await client.query(make);
}

/**
 * Fills an empty ledger with delivered, final calls of the past year, each with its moves, postings, settlement and effect: most
 * are uploads, a hundredth are forms with all their answers, and a tenth are paid from one prepaid account, which deposits
 * filled. The files of all but the last week are gone, the forms of all but the last 37 days, and the answers and signed
 * payments of all but the last 38. Rows are as long as real ones, keep every constraint of production and are what its triggers would have written;
 * the audit finds nothing wrong with them.
 */
export async function loadLedger(databaseUrl: string, ledger: LoadedLedger): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    // What a crash would lose is thrown away after the run anyway.
    await client.query('SET synchronous_commit = off');
    // The rows of a year are written at once, so the triggers that would write them one by one stand down.
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
