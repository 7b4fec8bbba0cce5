import type { WithDatabase } from '@/lib/platform/database/database';
import { providerUnreachable } from '@/lib/platform/upstream/failure';

/** Which calls to select. All given conditions must hold. */
export interface UndeliveredFilter {
  readonly operations: readonly string[];
  readonly network?: string;
  /** Calls that ended since this moment. */
  readonly from?: Date;
  /** Calls that ended before this moment. */
  readonly to?: Date;
}

/**
 * The ids of calls that were paid and not delivered through no fault of their callers, oldest first: kept because the provider
 * failed (502), or never sent to it. Rejected requests (422) and calls with a refund that is open or confirmed are left out.
 */
export async function findUndelivered(
  { db }: Pick<WithDatabase, 'db'>,
  { operations, network, from, to }: UndeliveredFilter,
  limit: number,
): Promise<string[]> {
  const calls = await db.paidCall.findMany({
    select: { id: true },
    where: {
      operation: { in: [...operations] },
      network,
      movedAt: { gte: from, lt: to },
      OR: [
        { state: 'kept', answerStatus: 502 },
        { state: 'needs_attention', moveNote: providerUnreachable },
      ],
      refunds: { none: { state: { in: ['requested', 'sent', 'confirmed'] } } },
    },
    orderBy: [{ movedAt: 'asc' }, { id: 'asc' }],
    take: limit,
  });
  return calls.map(({ id }) => id);
}
