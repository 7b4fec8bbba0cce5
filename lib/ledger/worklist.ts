import type { WithDatabase } from '@/lib/db/database';
import { lostPayments } from './preconfirmation-stops';
import { openRefundStates } from './refund-states';

/** Something that waits for the operator. */
export interface WorklistItem {
  readonly kind:
    | 'needs_attention'
    | 'unknown_for_long'
    | 'transfer_without_call'
    | 'refund_unfinished'
    | 'refund_failed'
    | 'preconfirmation_lost';
  /** The id of the paid call, also for a refund; of a transfer without one, its own. */
  readonly id: string;
  readonly operation: string;
  readonly network: string;
  readonly payer: string;
  readonly amountAtomic: bigint;
  /** Of the payment or transfer; of a refund, its own. */
  readonly transactionHash: string | null;
  /** Why a call needs attention, a refund failed or fell back, or whether a lost payment was made again: a code. */
  readonly reason: string | null;
  readonly since: Date;
}

/** A payment whose outcome is not known after this is not merely slow. */
export const unknownForLongMs = 3_600_000;

/** A refund that is not confirmed after this is not merely waiting for its blocks. */
const unfinishedForLongMs = 3_600_000;

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
 * has been unknown for an hour, transfers that no call accounts for, refunds that failed, fell back or take longer than an
 * hour, and payments that were pre-confirmed and lost.
 * @param limit of each kind
 */
export async function readWorklist(app: WithDatabase, limit: number): Promise<WorklistItem[]> {
  const before = new Date(app.clock.now() - unknownForLongMs);
  const [calls, transfers, refunds, lost] = await Promise.all([
    Promise.all([
      app.db.paidCall.findMany({
        select: ofCall,
        where: { state: 'needs_attention', refunds: { none: { state: { in: [...openRefundStates] } } } },
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
    readRefunds(app, limit),
    lostPayments(app, limit),
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
    ...refunds,
    ...lost.map(({ isPaid, ...payment }) => ({
      ...payment,
      kind: 'preconfirmation_lost' as const,
      reason: isPaid ? 'paid_again' : 'unpaid',
    })),
  ];
  return items.sort((one, other) => one.since.getTime() - other.since.getTime());
}

/** A failed refund stays here until it is cancelled, even if another one of its call succeeds. */
async function readRefunds(app: WithDatabase, limit: number): Promise<WorklistItem[]> {
  const before = new Date(app.clock.now() - unfinishedForLongMs);
  const refunds = await app.db.refund.findMany({
    select: {
      state: true,
      recipient: true,
      amountAtomic: true,
      transactionHash: true,
      moveNote: true,
      movedAt: true,
      paidCall: { select: { id: true, operation: true, network: true } },
    },
    where: {
      OR: [
        { state: 'failed' },
        { state: { in: [...openRefundStates] }, movedAt: { lt: before } },
        { state: 'sent', reorganizations: { gt: 0 }, blockNumber: null },
      ],
    },
    orderBy: { movedAt: 'asc' },
    take: limit,
  });
  return refunds.map(({ paidCall, state, recipient, moveNote, movedAt, ...refund }) => ({
    ...refund,
    ...paidCall,
    kind: state === 'failed' ? 'refund_failed' : 'refund_unfinished',
    payer: recipient,
    reason: moveNote,
    since: movedAt,
  }));
}
