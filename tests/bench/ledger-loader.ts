import pg from 'pg';
import type { Seller } from './bench-chain';
import { priceAtomic } from './buyers';

/** How many payments a settlement transaction of the loaded ledger carries. */
const paymentsPerSettlement = 20;
const payers = 50_000;
const callsPerStatement = 50_000;

/** Names of the n-th rows, in SQL. */
const paddedId = (prefix: string, n: string) => `'${prefix}_load' || lpad((${n})::text, 20, '0')`;
const call = paddedId('pc', 'n');
const settlementNumber = `n - (n - 1) % ${paymentsPerSettlement}`;
const settlement = paddedId('st', settlementNumber);
const hex = (what: string, n = 'n') => `encode(sha256(('${what}' || (${n}))::bytea), 'hex')`;
const transactionHash = `'0x' || ${hex('transaction', settlementNumber)}`;
const payer = `'0x' || left(${hex('payer', `n % ${payers}`)}, 40)`;
/** Filler as long as real content. */
const sealed = (bytes: number) => `decode(repeat(md5(n::text), ${Math.ceil(bytes / 16)}), 'hex')`;
const hashOf = (what: string) => `sha256(('${what}' || n)::bytea)`;

interface Ledger {
  readonly seller: Pick<Seller, 'signer' | 'payTo'>;
  readonly asset: string;
  readonly calls: number;
}

/** The calls from `first` to `last` with all that belongs to them, in the order that the foreign keys ask for. */
function statements({ seller, asset, calls }: Ledger, first: number, last: number): string[] {
  // One year, evenly spread, up to now.
  const numbers = `(SELECT n, now() - make_interval(secs => (${calls} - n) * 31536000.0 / ${calls}) AS at
    FROM generate_series(${first}, ${last}) AS n) AS numbered`;
  const leads = `n % ${paymentsPerSettlement} = 1`;
  const isOver = `at < now() - interval '7 days'`;
  const answerExpiry = `at + interval '38 days'`;
  const endedAt = `CASE WHEN ${isOver} THEN at + interval '7 days' END`;
  return [
    `INSERT INTO settlement_transaction (id, network, signer, nonce, hash, raw, payments, state, block_number, block_hash,
       gas_used, fee_atomic, fee_in_vain_atomic, fee_unit, created_at, confirmed_at, final_at)
     SELECT ${settlement}, 'base', '${seller.signer}', n, ${transactionHash}, ${sealed(1000)}, ${paymentsPerSettlement},
       'confirmed', n, '0x' || ${hex('block', settlementNumber)}, 1200000, 1000000000, 0, 'wei', at, at, at
     FROM ${numbers} WHERE ${leads}`,
    `INSERT INTO paid_call (id, operation, rail, network, asset, payer, "authorization", amount_atomic, pay_to,
       request_hash, idempotency_key_hash, claim_token_hash, state, payment, valid_before, transaction_hash,
       settlement_id, answer_status, answer, answer_expires_at, attempt_at, created_at, moved_at)
     SELECT ${call}, 'uploads.create', 'x402', 'base', '${asset}', ${payer}, '0x' || ${hex('nonce')}, ${priceAtomic},
       '${seller.payTo}', ${hashOf('request')}, CASE WHEN n % 5 = 0 THEN ${hashOf('key')} END, ${hashOf('token')},
       'delivered', ${sealed(600)}, at, ${transactionHash}, ${settlement}, 200,
       CASE WHEN ${answerExpiry} > now() THEN ${sealed(1000)} END, ${answerExpiry}, at, at, at
     FROM ${numbers}`,
    `INSERT INTO paid_call_move (paid_call_id, from_state, to_state, at)
     SELECT ${call}, from_state::paid_call_state, to_state::paid_call_state, at
     FROM ${numbers}, (VALUES (NULL, 'claimed'), ('claimed', 'settling'), ('settling', 'settled'),
       ('settled', 'delivered')) AS move(from_state, to_state)`,
    `INSERT INTO posting (paid_call_id, kind, debit_account, credit_account, amount_atomic, unit, at)
     SELECT ${call}, kind, CASE kind WHEN 'settled' THEN treasury_account('base') ELSE prepaid_account(${payer}) END,
       CASE kind WHEN 'settled' THEN prepaid_account(${payer}) ELSE revenue_account('uploads.create') END, ${priceAtomic}, 'usdc',
       at
     FROM ${numbers}, (VALUES ('settled'), ('delivered')) AS posted(kind)`,
    `INSERT INTO posting (settlement_id, kind, debit_account, credit_account, amount_atomic, unit, at)
     SELECT ${settlement}, 'gas', gas_expense_account('base'), gas_wallet_account('base', '${seller.signer}'), 1000000000, 'wei', at
     FROM ${numbers} WHERE ${leads}`,
    `INSERT INTO upload (id, paid_call_id, owner, mime, size_bytes, sha256, slug, link_token, tags, created_at,
       upload_url_expires_at, expires_at, deleted_at, erased_at)
     SELECT ${paddedId('up', 'n')}, ${call}, ${payer}, 'text/plain', 1000, ${hex('file')}, 'file.txt', ${hex('link')},
       '{}', at, at + interval '1 hour', at + interval '7 days', ${endedAt}, ${endedAt}
     FROM ${numbers}`,
  ];
}

const tables = ['settlement_transaction', 'paid_call', 'paid_call_move', 'posting', 'upload'];

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
 * Fills an empty ledger with delivered, final calls of the past year, each with its moves, postings, settlement and upload; the
 * files of all but the last week are gone, and the answers of all but the last 38 days. Rows are as long as real ones, keep every constraint of production and are what
 * its triggers would have written; the audit finds nothing wrong with them.
 */
export async function loadLedger(databaseUrl: string, ledger: Ledger): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    // What a crash would lose is thrown away after the run anyway.
    await client.query('SET synchronous_commit = off');
    // The rows of a year are written at once, so the triggers that would write them one by one stand down.
    await client.query('SET session_replication_role = replica');
    await withoutIndexes(client, async () => {
      for (let first = 1; first <= ledger.calls; first += callsPerStatement) {
        const last = Math.min(ledger.calls, first + callsPerStatement - 1);
        for (const text of statements(ledger, first, last)) await client.query(text);
        process.stderr.write(`  ${last} of ${ledger.calls} calls in the ledger\n`);
      }
    });
    await client.query('VACUUM ANALYZE');
    await client.query('CHECKPOINT');
  } finally {
    await client.end();
  }
}
