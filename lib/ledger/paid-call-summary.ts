import type { WithDatabase } from '@/lib/db/database';

/** What anyone who holds the unguessable id may know of a paid call. */
export type PaidCallSummary = NonNullable<Awaited<ReturnType<typeof findPaidCallSummary>>>;

/** @returns null when there is no such call */
export function findPaidCallSummary(app: WithDatabase, id: string) {
  return app.db.paidCall.findUnique({
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
    },
  });
}
