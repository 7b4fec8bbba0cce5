import { z } from 'zod';
import type {
  Channel,
  ChannelEvent,
  CollectionBook,
  Payee,
  PublicVoucher,
  WatchedUntil,
} from '@/lib/payments/channels/channel';
import type { WithDatabase } from '@/lib/platform/database/database';
import { Prisma } from '@/lib/platform/database/generated/client';
import type { Platform } from '@/lib/platform/platform';
import { channelBook, channelColumns, isBeingEmptied, toChannel } from './channel-book';
import { claimWorthAtomic, hasUnclaimed, ofCallsToRefund, unclaimedAmount } from './channel-unclaimed';

/** A channel is claimed once this much of it is unclaimed, in atomic USDC. */
const claimFromAtomic = 500_000n;

/** The condition that a channel has something to claim, and that no claim of it was sent a moment ago. */
function isSendable(app: WithDatabase & Pick<Platform, 'clock' | 'timings'>): Prisma.Sql {
  const since = new Date(app.clock.now() - app.timings.channels.claimAgainAfterMs);
  return Prisma.sql`${Prisma.raw(hasUnclaimed)}
    AND (claim_sent_at IS NULL OR claim_sent_at < ${since})`;
}

/**
 * Claims that were sent a moment ago are left alone until they are in a block or lost. So are amounts that are written off,
 * until the payer has deposited again. Each of the three queries has its own index: there may be many channels with too little
 * to be worth a claim.
 */
async function due(
  app: WithDatabase & Pick<Platform, 'clock' | 'timings'>,
  network: string,
  { limit, isClosing }: { limit: number; isClosing: boolean },
): Promise<Channel[]> {
  const { claimAfterMs } = app.timings.channels;
  const unusedSince = new Date(app.clock.now() - claimAfterMs);
  const isToClaim = Prisma.sql`network = ${network} AND ${isSendable(app)}`;
  const isUrgent = Prisma.raw(isBeingEmptied);
  const mostFirst = Prisma.sql`ORDER BY charged_atomic - claimed_atomic DESC LIMIT ${limit}`;
  const rows = await app.db.$queryRaw<unknown[]>`
    SELECT ${Prisma.raw(channelColumns)} FROM (
      (SELECT * FROM channel WHERE ${isToClaim} AND ${isUrgent} ${mostFirst})
      UNION
      (SELECT * FROM channel WHERE ${isToClaim} AND id IN (${Prisma.raw(ofCallsToRefund)}) ${mostFirst})
      UNION
      (SELECT * FROM channel WHERE ${isToClaim} AND charged_atomic - claimed_atomic >= ${claimWorthAtomic}
        AND (${isClosing} OR charged_atomic - claimed_atomic >= ${claimFromAtomic} OR used_at < ${unusedSince})
        ${mostFirst})
    ) AS channel
    ORDER BY ${isUrgent} DESC, charged_atomic - claimed_atomic DESC LIMIT ${limit}`;
  return rows.map(toChannel);
}

const takenRow = z.object({ id: z.string() });

async function takeClaims(
  app: WithDatabase & Pick<Platform, 'clock' | 'timings'>,
  vouchers: readonly PublicVoucher[],
): Promise<ReadonlySet<string>> {
  const now = app.clock.date();
  const rows = vouchers.map(({ channelId, totalAtomic }) => ({
    channel_id: channelId,
    total: totalAtomic.toString(),
  }));
  const taken = await app.db.$queryRaw<unknown[]>`
    WITH asked AS (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS asked(channel_id text, total bigint)
    ), taken AS (
      UPDATE channel SET claim_sent_at = ${now}
      WHERE id IN (
        -- In the order in which charges lock them. What another process has taken meanwhile is looked at again.
        SELECT id FROM channel WHERE id IN (SELECT channel_id FROM asked) AND ${isSendable(app)}
        ORDER BY id FOR NO KEY UPDATE)
      RETURNING id
    ), published AS (
      INSERT INTO published_voucher (channel_id, total_atomic, at)
      SELECT channel_id, total, ${now} FROM asked JOIN taken ON taken.id = channel_id
      ON CONFLICT DO NOTHING
    )
    SELECT id FROM taken`;
  return new Set(taken.map((row) => takenRow.parse(row).id));
}

async function giveBackClaims(app: WithDatabase, channelIds: readonly string[]): Promise<void> {
  await app.db.$executeRaw`
    UPDATE channel SET claim_sent_at = NULL WHERE id IN (
      SELECT id FROM channel WHERE id = ANY (${[...channelIds]}) ORDER BY id FOR NO KEY UPDATE)`;
}

/** Its claim is retried after a while, so that it does not hold up the others. */
async function noteUnclaimable(
  app: WithDatabase & Pick<Platform, 'clock'>,
  channelId: string,
): Promise<void> {
  const now = app.clock.date();
  await app.db.$executeRaw`
    UPDATE channel SET claim_sent_at = ${now}, claim_failed_at = COALESCE(claim_failed_at, ${now})
    WHERE id = ${channelId}`;
}

async function known(app: WithDatabase, channelIds: readonly string[]): Promise<Channel[]> {
  if (channelIds.length === 0) return [];
  const rows = await app.db.$queryRaw<unknown[]>`
    SELECT ${Prisma.raw(channelColumns)} FROM channel WHERE id = ANY (${[...channelIds]})`;
  return rows.map(toChannel);
}

const payeeRow = z.object({ receiver: z.string(), token: z.string() });

async function knownPayees(app: WithDatabase, network: string, payees: readonly Payee[]): Promise<Payee[]> {
  if (payees.length === 0) return [];
  const rows = await app.db.$queryRaw<unknown[]>`
    SELECT receiver, token FROM jsonb_to_recordset(${JSON.stringify(payees)}::jsonb) AS asked(receiver text, token text)
    WHERE EXISTS (SELECT FROM channel WHERE network = ${network} AND channel.receiver = asked.receiver
      AND channel.token = asked.token)`;
  return rows.map((row) => payeeRow.parse(row));
}

const watchRow = z.object({ final_block: z.bigint(), seen_block: z.bigint() });

async function watchedUntil(app: WithDatabase, network: string): Promise<WatchedUntil | null> {
  const [raw] = await app.db.$queryRaw<unknown[]>`
    SELECT final_block, seen_block FROM channel_watch WHERE network = ${network}`;
  if (raw === undefined) return null;
  const row = watchRow.parse(raw);
  return { finalBlock: row.final_block, seenBlock: row.seen_block };
}

/**
 * One statement, so that no event is skipped or counted twice; a trigger posts the events. Claims that the first reading of a
 * channel includes are left out: after a restore, the payer of a channel that is missing from the backup may call before the
 * events are read. Their totals tell, and not their blocks: a reorganization may put a later claim into an earlier block.
 * Payouts before the first channel was read are of an earlier ledger, unless they come with a claim of ours.
 */
async function recordEvents(
  app: WithDatabase & Pick<Platform, 'clock'>,
  network: string,
  events: readonly ChannelEvent[],
  { finalBlock, seenBlock }: WatchedUntil,
): Promise<void> {
  const now = app.clock.date();
  const rows = events.map((event) => ({
    block_number: event.blockNumber.toString(),
    transaction_hash: event.transactionHash,
    log_index: event.logIndex,
    name: event.name,
    channel_id: event.channelId,
    amount_atomic: event.amountAtomic.toString(),
    claimed_total: event.claimedAtomic?.toString() ?? null,
  }));
  await app.db.$executeRaw`
    WITH event AS (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS event(block_number bigint, transaction_hash text,
        log_index int, name text, channel_id text, amount_atomic bigint, claimed_total bigint)
    ), recorded AS (
      INSERT INTO channel_event (network, block_number, transaction_hash, log_index, name, channel_id, amount_atomic, at)
      SELECT ${network}, block_number, transaction_hash, log_index, name, channel_id, amount_atomic, ${now}
      FROM event
      WHERE (name <> 'Claimed' OR claimed_total > (SELECT opened_atomic FROM channel WHERE id = channel_id))
        AND (name <> 'Settled' OR EXISTS (SELECT FROM channel WHERE network = ${network} AND opened_at_block < block_number)
          OR EXISTS (SELECT FROM event AS claim JOIN channel ON channel.id = claim.channel_id
            WHERE claim.transaction_hash = event.transaction_hash AND claim.claimed_total > opened_atomic))
      ORDER BY block_number, log_index
      ON CONFLICT (network, transaction_hash, log_index) DO NOTHING
    )
    INSERT INTO channel_watch (network, final_block, seen_block, at) VALUES (${network}, ${finalBlock}, ${seenBlock}, ${now})
    ON CONFLICT (network) DO UPDATE SET final_block = GREATEST(channel_watch.final_block, EXCLUDED.final_block),
      seen_block = EXCLUDED.seen_block, at = EXCLUDED.at`;
}

async function unclaimed(app: WithDatabase, network: string): Promise<bigint> {
  const [row] = await app.db.$queryRaw<{ atomic: Prisma.Decimal }[]>`
    SELECT COALESCE(sum(${Prisma.raw(unclaimedAmount)}), 0) AS atomic FROM channel
    WHERE network = ${network} AND ${Prisma.raw(hasUnclaimed)}`;
  return BigInt(row?.atomic.toFixed(0) ?? 0);
}

/** Payment channels, for their collector. */
export function collectionBook(app: WithDatabase & Pick<Platform, 'clock' | 'timings'>): CollectionBook {
  return {
    record: channelBook(app).record,
    due: (network, which) => due(app, network, which),
    takeClaims: (vouchers) => takeClaims(app, vouchers),
    giveBackClaims: (channelIds) => giveBackClaims(app, channelIds),
    noteUnclaimable: (channelId) => noteUnclaimable(app, channelId),
    known: (channelIds) => known(app, channelIds),
    knownPayees: (network, payees) => knownPayees(app, network, payees),
    watchedUntil: (network) => watchedUntil(app, network),
    recordEvents: (network, events, until) => recordEvents(app, network, events, until),
    unclaimed: (network) => unclaimed(app, network),
  };
}
