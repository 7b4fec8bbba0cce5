import type { WithDatabase } from '@/lib/platform/database/database';
import { Prisma } from '@/lib/platform/database/generated/client';
import { hourMs } from '@/lib/platform/durations';
import type { Platform } from '@/lib/platform/platform';
import { channelItems } from './channel-worklist';
import { openRequests } from './refund-requests';
import { openRefundStates } from './refund-states';
import { listed, submittedStates } from './states';
import { isUnbooked } from './transfers-without-call';

/** Items of optional features. */
const optional = [channelItems];

export const worklistKinds = [
  'needs_attention',
  'unknown_for_long',
  'transfer_without_call',
  'refund_unfinished',
  'refund_failed',
  'refund_requested',
  ...channelItems.kinds,
] as const;

/** Something that waits for the operator. */
export interface WorklistItem {
  readonly kind: (typeof worklistKinds)[number];
  /** The id of the paid call, including for a refund; a transfer without a call and items of features have their own. */
  readonly id: string;
  /** Null for items of features. */
  readonly operation: string | null;
  readonly network: string;
  readonly payer: string;
  readonly amountAtomic: bigint;
  /** The transaction of the payment or transfer; for a refund, that of the refund. */
  readonly transactionHash: string | null;
  /** A code: why a call needs attention, or why a refund failed or fell back. */
  readonly reason: string | null;
  readonly since: Date;
}

/** After this long, a payment with an unknown outcome is not merely slow. */
const unknownForLongMs = hourMs;

/** After this long, an unconfirmed refund is not merely waiting for its blocks. */
const unfinishedForLongMs = hourMs;

/** No content that a caller wrote is read. */
const ofCall = {
  id: true,
  operation: true,
  network: true,
  payer: true,
  amountAtomic: true,
  transactionHash: true,
  moveNote: true,
  movedAt: true,
} as const;

const submitted = listed(submittedStates);

/**
 * When the outcome of a call's payment became unknown, as an SQL expression for a row of paid_call. Each recovery attempt moves
 * the call between these states, so the time of its last move is not the answer.
 */
export const submittedSince = `(SELECT min(at) FROM paid_call_move AS move WHERE move.paid_call_id = paid_call.id
  AND move.id > COALESCE((SELECT max(id) FROM paid_call_move AS other
    WHERE other.paid_call_id = paid_call.id AND other.to_state NOT IN ${submitted}), 0))`;

/** The payments whose outcome has been unknown since before a moment. */
const unknownSince = (before: Date) => Prisma.sql`
  SELECT id, since FROM (SELECT id, ${Prisma.raw(submittedSince)} AS since FROM paid_call
    WHERE state IN ${Prisma.raw(submitted)} AND created_at < ${before}) AS submitted
  WHERE since < ${before}`;

/**
 * Reads what waits for the operator, oldest first: calls that are paid and could not be delivered, payments whose outcome
 * has been unknown for an hour, transfers that no call accounts for, refunds that failed, fell back or take longer than an
 * hour, requests of payers for a refund, and the items of optional features.
 * @param limit of each kind
 */
export async function readWorklist(
  app: WithDatabase & Pick<Platform, 'clock'>,
  limit: number,
): Promise<WorklistItem[]> {
  const before = new Date(app.clock.now() - unknownForLongMs);
  const [calls, unknown, transfers, refunds, requests, ...others] = await Promise.all([
    app.db.paidCall.findMany({
      select: ofCall,
      where: { state: 'needs_attention', refunds: { none: { state: { in: [...openRefundStates] } } } },
      orderBy: { movedAt: 'asc' },
      take: limit,
    }),
    readUnknown(app, before, limit),
    readUnbooked(app, limit),
    readRefunds(app, limit),
    readRequests(app, limit),
    ...optional.map(({ read }) => read(app, limit)),
  ]);
  const items: WorklistItem[] = [
    ...calls.map((call) => ({
      ...call,
      kind: 'needs_attention' as const,
      reason: call.moveNote,
      since: call.movedAt,
    })),
    ...unknown,
    ...transfers,
    ...refunds,
    ...requests,
    ...others.flat().map((item) => ({ ...item, operation: null, transactionHash: null, reason: null })),
  ];
  return items.sort((one, other) => one.since.getTime() - other.since.getTime());
}

async function readUnknown(app: WithDatabase, before: Date, limit: number): Promise<WorklistItem[]> {
  const found = await app.db.$queryRaw<{ id: string; since: Date }[]>`
    ${unknownSince(before)} ORDER BY since LIMIT ${limit}`;
  const since = new Map(found.map((call) => [call.id, call.since]));
  const calls = await app.db.paidCall.findMany({ select: ofCall, where: { id: { in: [...since.keys()] } } });
  return calls.map((call) => ({
    ...call,
    kind: 'unknown_for_long',
    reason: call.moveNote,
    since: since.get(call.id) ?? call.movedAt,
  }));
}

/** The transfers that nobody has booked yet. */
async function readUnbooked(app: WithDatabase, limit: number): Promise<WorklistItem[]> {
  const found = await app.db.$queryRaw<Omit<WorklistItem, 'kind' | 'reason'>[]>`
    SELECT id, operation, network, payer, amount_atomic AS "amountAtomic", transaction_hash AS "transactionHash",
      found_at AS since
    FROM transfer_without_call WHERE ${isUnbooked} ORDER BY found_at LIMIT ${limit}`;
  return found.map((transfer) => ({ ...transfer, kind: 'transfer_without_call', reason: null }));
}

/** A failed refund stays here until it is cancelled, even if another refund of the same call succeeds. */
async function readRefunds(
  app: WithDatabase & Pick<Platform, 'clock'>,
  limit: number,
): Promise<WorklistItem[]> {
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

/** Requests for a refund that the operator has neither granted nor declined, without the payer's own words. */
async function readRequests(app: WithDatabase, limit: number): Promise<WorklistItem[]> {
  const found = await app.db.$queryRaw<Omit<WorklistItem, 'kind'>[]>`
    SELECT id, operation, network, payer, amount_atomic AS "amountAtomic", transaction_hash AS "transactionHash", request.reason,
      request.requested_at AS since
    FROM (SELECT * FROM ${openRequests} ORDER BY requested_at LIMIT ${limit}) AS request
    JOIN paid_call ON paid_call.id = request.paid_call_id`;
  return found.map((request) => ({ ...request, kind: 'refund_requested' }));
}

/**
 * A subquery that counts what `readWorklist` reads: a JSON object with a number for each kind that occurs.
 * @param countedMax where counting stops, for each kind
 */
export function worklistCounts(now: Date, countedMax: number): Prisma.Sql {
  const unknownBefore = new Date(now.getTime() - unknownForLongMs);
  const unfinishedBefore = new Date(now.getTime() - unfinishedForLongMs);
  const openRefunds = Prisma.raw(openRefundStates.map((state) => `'${state}'`).join(', '));
  const ofKind = (items: Prisma.Sql) => Prisma.sql`(${items} LIMIT ${countedMax})`;
  const items = [
    Prisma.sql`SELECT 'needs_attention' AS kind FROM paid_call WHERE state = 'needs_attention' AND NOT EXISTS (
      SELECT FROM refund WHERE paid_call_id = paid_call.id AND refund.state IN (${openRefunds}))`,
    Prisma.sql`SELECT 'unknown_for_long' FROM (${unknownSince(unknownBefore)}) unknown`,
    Prisma.sql`SELECT 'transfer_without_call' FROM transfer_without_call WHERE ${isUnbooked}`,
    Prisma.sql`SELECT 'refund_failed' FROM refund WHERE state = 'failed'`,
    Prisma.sql`SELECT 'refund_unfinished' FROM refund WHERE state IN (${openRefunds})
      AND (moved_at < ${unfinishedBefore} OR (state = 'sent' AND reorganizations > 0 AND block_number IS NULL))`,
    Prisma.sql`SELECT 'refund_requested' FROM ${openRequests}`,
    ...optional.flatMap(({ toCount }) => toCount(now)),
  ];
  return Prisma.sql`(SELECT COALESCE(jsonb_object_agg(kind, count), '{}') FROM (
    SELECT kind, count(*) FROM (${Prisma.join(items.map(ofKind), ' UNION ALL ')}) item GROUP BY kind) by_kind)`;
}
