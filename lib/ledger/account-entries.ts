import { z } from 'zod';
import type { WithDatabase } from '@/lib/db/database';

const entrySchema = z.object({
  id: z.bigint(),
  kind: z.string(),
  is_credit: z.boolean(),
  amount_atomic: z.coerce.bigint(),
  paid_call_id: z.string(),
  operation: z.string(),
  network: z.string(),
  transaction_hash: z.string().nullable(),
  at: z.date(),
});

export type AccountEntry = z.output<typeof entrySchema>;

/**
 * Credits and debits of an account, newest first. Its postings have partial indexes (migration), which PostgreSQL uses only
 * with the LIKE conditions.
 * @param before only entries older than the one with this id
 */
export async function accountEntries(
  app: WithDatabase,
  accountId: string,
  { before, limit }: { before: bigint | null; limit: number },
): Promise<AccountEntry[]> {
  const rows = await app.db.$queryRaw<unknown[]>`
    SELECT entry.id, entry.kind, entry.is_credit, entry.amount_atomic, entry.paid_call_id, entry.at,
      paid_call.operation, paid_call.network, paid_call.transaction_hash
    FROM (
      SELECT id, kind, true AS is_credit, amount_atomic, paid_call_id, at FROM posting
      WHERE credit_account = balance_account(${accountId}) AND credit_account LIKE 'account:%'
      UNION ALL
      SELECT id, kind, false, amount_atomic, paid_call_id, at FROM posting
      WHERE debit_account = balance_account(${accountId}) AND debit_account LIKE 'account:%'
    ) entry JOIN paid_call ON paid_call.id = entry.paid_call_id
    WHERE ${before}::bigint IS NULL OR entry.id < ${before}::bigint
    ORDER BY entry.id DESC LIMIT ${limit}`;
  return rows.map((row) => entrySchema.parse(row));
}
