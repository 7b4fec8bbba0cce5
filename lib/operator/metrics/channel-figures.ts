import { z } from 'zod';
import { isBeingEmptied } from '@/lib/ledger/channel-book';
import { hasUnclaimed, unclaimedAmount } from '@/lib/ledger/channel-unclaimed';
import { isEvmOffer, type Offer } from '@/lib/payments/network-offers';
import { Prisma } from '@/lib/platform/database/generated/client';
import type { Metrics } from '@/lib/platform/metrics/metrics';

/** By network: the unclaimed amount in atomic USDC, and how many channels are being emptied. */
const figures = z.record(z.string(), z.object({ unclaimed: z.coerce.number(), leaving: z.number() }));

/** Figures of payment channels with an unclaimed amount, from the database. */
export const channelFigures = {
  /** An SQL expression of JSON. */
  query: (countedMax: number): Prisma.Sql => Prisma.sql`
      (SELECT COALESCE(jsonb_object_agg(network, jsonb_build_object('unclaimed', unclaimed, 'leaving', leaving)), '{}') FROM (
        SELECT network, sum(${Prisma.raw(unclaimedAmount)}) AS unclaimed,
          count(*) FILTER (WHERE ${Prisma.raw(isBeingEmptied)}) AS leaving
        FROM (SELECT * FROM channel WHERE ${Prisma.raw(hasUnclaimed)} LIMIT ${countedMax}) owing GROUP BY network) by_network)`,

  /** Even where channels are no longer offered: unclaimed amounts remain. */
  show({ channels }: Metrics, offers: readonly Offer[], found: unknown): void {
    const byNetwork = figures.parse(found);
    for (const { network } of offers.filter(isEvmOffer)) {
      const { name } = network;
      const { unclaimed, leaving } = byNetwork[name] ?? { unclaimed: 0, leaving: 0 };
      channels.unclaimed.set({ network: name }, unclaimed / 1_000_000);
      channels.leaving.set({ network: name }, leaving);
    }
  },

  gauges: ({ channels }: Metrics) => [channels.unclaimed, channels.leaving],
};
