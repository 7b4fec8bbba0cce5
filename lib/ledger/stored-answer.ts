import type { WithDatabase } from '@/lib/platform/database/database';
import { Prisma } from '@/lib/platform/database/generated/client';

/** With more rows in a statement, the trigger that records moves takes longer per row. */
const batchSize = 200;

/** As a join, PostgreSQL would read every settlement. */
const isErasable = Prisma.sql`answer IS NOT NULL AND state IN ('delivered', 'kept', 'refunded')
  AND (settlement_id IS NULL OR (SELECT final_at FROM settlement_transaction
    WHERE settlement_transaction.id = paid_call.settlement_id) IS NOT NULL)`;

/** Erases answers and signed payments before their time: those of a payer, or of one call. @returns how many */
export function eraseAnswersOf(
  { db }: { readonly db: Prisma.TransactionClient },
  whose: { readonly payer: string } | { readonly paidCallId: string },
  now: Date,
): Promise<number> {
  const isTheirs =
    'payer' in whose ? Prisma.sql`payer = ${whose.payer}` : Prisma.sql`id = ${whose.paidCallId}`;
  return db.$executeRaw`
    UPDATE paid_call SET answer = NULL, payment = NULL, answer_expires_at = LEAST(answer_expires_at, ${now})
    WHERE ${isTheirs} AND ${isErasable}`;
}

/**
 * Erases expired answers and the signed payments of their calls, one batch per statement, and returns their number. The calls
 * stay, so that a retry is still recognized and not charged (docs/decisions/ledger.md). A call whose settlement is not final
 * keeps both: without them, a reorganization would have it delivered again, and it could not be settled again. Safe to run
 * twice at once and to kill at any point.
 */
export async function eraseAnswers(app: WithDatabase, now: Date): Promise<number> {
  let total = 0;
  for (;;) {
    const erased = await app.db.$executeRaw`
      UPDATE paid_call SET answer = NULL, payment = NULL
      WHERE id IN (
        SELECT id FROM paid_call
        WHERE answer_expires_at <= ${now} AND ${isErasable}
        ORDER BY answer_expires_at LIMIT ${batchSize} FOR UPDATE SKIP LOCKED
      )`;
    total += erased;
    if (erased < batchSize) return total;
  }
}
