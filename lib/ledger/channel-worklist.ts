import type { WithDatabase } from '@/lib/platform/database/database';
import { Prisma } from '@/lib/platform/database/generated/client';
import { hourMs } from '@/lib/platform/durations';
import type { Platform } from '@/lib/platform/platform';
import { isBeingEmptied } from './channel-book';
import { hasUnclaimed, unclaimedAmount } from './channel-unclaimed';

/** Claims and refunds take minutes. After this, something is wrong. */
const overdueMs = hourMs;

const kinds = ['channel_leaving', 'channel_unclaimable', 'channel_refund_unfinished'] as const;

export type ChannelItemKind = (typeof kinds)[number];

/** A payment channel that waits for the operator. */
interface ChannelItem {
  readonly kind: ChannelItemKind;
  /** The id of the channel. */
  readonly id: string;
  readonly network: string;
  readonly payer: string;
  /** The amount that was spent and is neither claimed nor written off; for a refund, its amount. */
  readonly amountAtomic: bigint;
  readonly since: Date;
}

/** Queries for the channels that wait for the operator, by kind. Their rows are `ChannelItem`s. */
function itemsOf(now: Date): Record<ChannelItemKind, Prisma.Sql> {
  const overdue = new Date(now.getTime() - overdueMs);
  return {
    channel_leaving: Prisma.sql`
      SELECT 'channel_leaving' AS kind, id, network, payer, ${Prisma.raw(unclaimedAmount)} AS "amountAtomic",
        to_timestamp(withdrawal_begun_at) AS since
      FROM channel
      WHERE ${Prisma.raw(hasUnclaimed)} AND ${Prisma.raw(isBeingEmptied)}
        AND to_timestamp(withdrawal_begun_at) < ${overdue}`,
    channel_unclaimable: Prisma.sql`
      SELECT 'channel_unclaimable' AS kind, id, network, payer, ${Prisma.raw(unclaimedAmount)} AS "amountAtomic",
        claim_failed_at AS since
      FROM channel WHERE ${Prisma.raw(hasUnclaimed)} AND claim_failed_at IS NOT NULL`,
    channel_refund_unfinished: Prisma.sql`
      SELECT 'channel_refund_unfinished' AS kind, id, network, payer, refund_atomic AS "amountAtomic",
        refund_asked_at AS since
      FROM channel WHERE refund_number >= refund_nonce AND refund_asked_at < ${overdue}`,
  };
}

/** Reads the channels that wait for the operator. @param limit of each kind, the oldest first */
export async function readChannelItems(
  app: WithDatabase & Pick<Platform, 'clock'>,
  limit: number,
): Promise<ChannelItem[]> {
  const items = Object.values(itemsOf(app.clock.date()));
  const limited = items.map((rows) => Prisma.sql`(${rows} ORDER BY since LIMIT ${limit})`);
  return app.db.$queryRaw<ChannelItem[]>`${Prisma.join(limited, ' UNION ALL ')}`;
}

/** The same items, with only the column `kind`. */
function channelItemsToCount(now: Date): Prisma.Sql[] {
  return Object.values(itemsOf(now)).map((rows) => Prisma.sql`SELECT kind FROM (${rows}) item`);
}

/** What the worklist has of payment channels. */
export const channelItems = { kinds, read: readChannelItems, toCount: channelItemsToCount };
