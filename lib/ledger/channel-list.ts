import { z } from 'zod';
import type { Channel } from '@/lib/payments/channels/channel';
import type { WithDatabase } from '@/lib/platform/database/database';
import { Prisma } from '@/lib/platform/database/generated/client';
import { channelColumns, isBeingEmptied, toChannel } from './channel-book';
import { claimWorthAtomic, hasUnclaimed, ofCallsToRefund, unclaimedAmount } from './channel-unclaimed';

/** A channel as operators see it. */
export interface ListedChannel extends Channel {
  /** When a voucher was last accepted; null when none was. */
  readonly usedAt: Date | null;
  /** When a claim was last sent; null when none was. */
  readonly claimSentAt: Date | null;
}

/** The condition that a channel has an unclaimed amount that will be claimed automatically. */
const isWorthClaim = Prisma.raw(
  `${hasUnclaimed} AND (charged_atomic - claimed_atomic >= ${claimWorthAtomic} OR ${isBeingEmptied} OR id IN (${ofCallsToRefund}))`,
);

/**
 * What was spent through channels and is neither claimed nor written off, in atomic USDC, for each network that has any.
 * Channels with too little to be worth a claim are left out.
 */
export async function unclaimedByNetwork(app: WithDatabase): Promise<ReadonlyMap<string, bigint>> {
  const rows = await app.db.$queryRaw<{ network: string; atomic: Prisma.Decimal }[]>`
    SELECT network, sum(${Prisma.raw(unclaimedAmount)}) AS atomic FROM channel
    WHERE ${isWorthClaim} GROUP BY network`;
  return new Map(rows.map(({ network, atomic }) => [network, BigInt(atomic.toFixed(0))]));
}

const networkRow = z.object({ network: z.string(), atomic: z.bigint() });

/** What the chain says was claimed from channels but no event in the ledger shows, by network, in atomic USDC. */
export async function unbookedByNetwork(app: WithDatabase): Promise<ReadonlyMap<string, bigint>> {
  const rows = await app.db.$queryRaw<unknown[]>`
    SELECT network, sum(claimed_atomic - opened_atomic - COALESCE(booked, 0))::bigint AS atomic
    FROM channel LEFT JOIN (
      SELECT channel_id, sum(amount_atomic) AS booked FROM channel_event WHERE name = 'Claimed' GROUP BY channel_id
    ) AS event ON channel_id = channel.id
    WHERE claimed_atomic - opened_atomic > COALESCE(booked, 0) GROUP BY network`;
  return atomicByNetwork(rows);
}

/** What was claimed but not paid out yet, according to the events in the ledger, by network, in atomic USDC. */
export async function unsweptByNetwork(app: WithDatabase): Promise<ReadonlyMap<string, bigint>> {
  const rows = await app.db.$queryRaw<unknown[]>`
    SELECT network, sum(CASE name WHEN 'Claimed' THEN amount_atomic ELSE -amount_atomic END)::bigint AS atomic
    FROM channel_event WHERE name IN ('Claimed', 'Settled') GROUP BY network`;
  return atomicByNetwork(rows);
}

function atomicByNetwork(rows: readonly unknown[]): ReadonlyMap<string, bigint> {
  return new Map(
    rows.map((row) => {
      const { network, atomic } = networkRow.parse(row);
      return [network, atomic];
    }),
  );
}

const authorizerRow = z.object({ authorizer: z.string(), atomic: z.bigint() });

/**
 * Like `unclaimedByNetwork`, for the channels of one network that were opened with another authorizer than this one, by
 * authorizer.
 */
export async function unclaimedOfOthers(
  app: WithDatabase,
  network: string,
  authorizer: string,
): Promise<ReadonlyMap<string, bigint>> {
  const rows = await app.db.$queryRaw<unknown[]>`
    SELECT receiver_authorizer AS authorizer, sum(${Prisma.raw(unclaimedAmount)})::bigint AS atomic FROM channel
    WHERE network = ${network} AND receiver_authorizer <> ${authorizer} AND ${isWorthClaim}
    GROUP BY receiver_authorizer ORDER BY receiver_authorizer`;
  return new Map(
    rows.map((row) => {
      const other = authorizerRow.parse(row);
      return [other.authorizer, other.atomic];
    }),
  );
}

const times = z.object({ used_at: z.date().nullable(), claim_sent_at: z.date().nullable() });

/** Channels with an unclaimed amount come first, those being emptied ahead of the rest, then the most recently used. */
export async function listChannels(app: WithDatabase, limit: number): Promise<ListedChannel[]> {
  const rows = await app.db.$queryRaw<unknown[]>`
    SELECT ${Prisma.raw(channelColumns)}, used_at, claim_sent_at FROM channel
    ORDER BY ${Prisma.raw(hasUnclaimed)} AND ${Prisma.raw(isBeingEmptied)} DESC, ${Prisma.raw(hasUnclaimed)} DESC,
      used_at DESC NULLS LAST LIMIT ${limit}`;
  return rows.map((row) => {
    const { used_at: usedAt, claim_sent_at: claimSentAt } = times.parse(row);
    return { ...toChannel(row), usedAt, claimSentAt };
  });
}
