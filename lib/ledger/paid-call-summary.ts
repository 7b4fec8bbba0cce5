import type { WithDatabase } from '@/lib/db/database';

/** What anyone who holds the unguessable id may know of a paid call. */
export type PaidCallSummary = NonNullable<Awaited<ReturnType<typeof findPaidCallSummary>>>;

/** @returns null when there is no such call */
export async function findPaidCallSummary(app: WithDatabase, id: string) {
  const found = await app.db.paidCall.findUnique({
    where: { id },
    select: {
      id: true,
      operation: true,
      state: true,
      amountAtomic: true,
      network: true,
      transactionHash: true,
      refusalReason: true,
      refusalFinalAt: true,
      createdAt: true,
      movedAt: true,
      // One that is only requested may never come.
      refunds: {
        where: { state: { in: ['sent', 'confirmed'] } },
        select: {
          state: true,
          method: true,
          network: true,
          recipient: true,
          amountAtomic: true,
          transactionHash: true,
          movedAt: true,
        },
      },
    },
  });
  if (!found) return null;
  // The database allows one.
  const { refunds, ...call } = found;
  return { ...call, refund: refunds[0] ?? null };
}
