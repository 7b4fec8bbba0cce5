import type { WithDatabase } from '@/lib/db/database';

/** Something that waits for the operator. */
export interface WorklistItem {
  readonly kind: 'needs_attention' | 'unknown_for_long' | 'transfer_without_call';
  /** The id of the paid call; of a transfer without one, its own. */
  readonly id: string;
  readonly operation: string;
  readonly network: string;
  readonly payer: string;
  readonly amountAtomic: bigint;
  readonly transactionHash: string | null;
  /** Why a call needs attention: a code. */
  readonly reason: string | null;
  readonly since: Date;
}

/** A payment whose outcome is not known after this is not merely slow. */
const unknownForLongMs = 3_600_000;

/** Nothing that a caller wrote is read. */
const shared = {
  id: true,
  operation: true,
  network: true,
  payer: true,
  amountAtomic: true,
  transactionHash: true,
} as const;
const ofCall = { ...shared, state: true, moveNote: true, movedAt: true } as const;

/**
 * Reads what waits for the operator, oldest first: calls that are paid and could not be delivered, payments whose outcome
 * has been unknown for an hour, and transfers that no call accounts for.
 * @param limit of each kind
 */
export async function readWorklist(app: WithDatabase, limit: number): Promise<WorklistItem[]> {
  const before = new Date(app.clock.now() - unknownForLongMs);
  const [calls, transfers] = await Promise.all([
    Promise.all([
      app.db.paidCall.findMany({
        select: ofCall,
        where: { state: 'needs_attention' },
        orderBy: { movedAt: 'asc' },
        take: limit,
      }),
      app.db.paidCall.findMany({
        select: ofCall,
        where: { state: 'unknown', movedAt: { lt: before } },
        orderBy: { movedAt: 'asc' },
        take: limit,
      }),
    ]),
    app.db.transferWithoutCall.findMany({
      select: { ...shared, foundAt: true },
      orderBy: { foundAt: 'asc' },
      take: limit,
    }),
  ]);
  const items: WorklistItem[] = [
    ...calls.flat().map((call) => ({
      ...call,
      kind: call.state === 'unknown' ? ('unknown_for_long' as const) : ('needs_attention' as const),
      reason: call.moveNote,
      since: call.movedAt,
    })),
    ...transfers.map((transfer) => ({
      ...transfer,
      kind: 'transfer_without_call' as const,
      reason: null,
      since: transfer.foundAt,
    })),
  ];
  return items.sort((one, other) => one.since.getTime() - other.since.getTime());
}
