import type { WithDatabase } from '@/lib/platform/database/database';
import type { Prisma } from '@/lib/platform/database/generated/client';

/** What a summary is made from. */
const summaryColumns = {
  id: true,
  operation: true,
  state: true,
  amountAtomic: true,
  network: true,
  transactionHash: true,
  refusalReason: true,
  refusalFinalAt: true,
  moveNote: true,
  createdAt: true,
  movedAt: true,
  // A refund that is only requested may never be sent.
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
} as const satisfies Prisma.PaidCallSelect;

/** What anyone who holds the unguessable id may see of a paid call. */
export type PaidCallSummary = ReturnType<typeof toSummary>;

/** @returns null when there is no such call */
export async function findPaidCallSummary(app: WithDatabase, id: string): Promise<PaidCallSummary | null> {
  const found = await app.db.paidCall.findUnique({ where: { id }, select: summaryColumns });
  return found && toSummary(found);
}

/** The summaries of calls, newest first. */
export async function readPaidCallSummaries(
  app: WithDatabase,
  ids: readonly string[],
): Promise<PaidCallSummary[]> {
  const found = await app.db.paidCall.findMany({
    where: { id: { in: [...ids] } },
    select: summaryColumns,
    orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
  });
  return found.map(toSummary);
}

function toSummary({ refunds, ...call }: Prisma.PaidCallGetPayload<{ select: typeof summaryColumns }>) {
  // The database allows only one.
  return { ...call, refund: refunds[0] ?? null };
}
