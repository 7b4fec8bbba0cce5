import { z } from 'zod';
import {
  type Channel,
  type ChannelParties,
  cumulativeMismatch,
  type PublicVoucher,
  type RefundBook,
  type RefundRequest,
} from '@/lib/payments/channels/channel';
import {
  decideRefund,
  isEarned,
  paidForEachRefund,
  type RefundDecision,
  type RefundFacts,
  refundAgainMs,
  refundAtLeast,
  unearnedRefundsMax,
} from '@/lib/payments/channels/channel-refund-rules';
import type { WithDatabase } from '@/lib/platform/database/database';
import { Prisma } from '@/lib/platform/database/generated/client';
import { hourMs } from '@/lib/platform/durations';
import type { Platform } from '@/lib/platform/platform';
import { channelBook, channelColumns, toChannel } from './channel-book';

/** In atomic USDC, as in the index. A refund costs gas, so a smaller amount is left to the payer, who can withdraw it. */
const idleWorth = Prisma.raw(String(refundAtLeast));

const factsRow = z.object({ asked_at: z.date().nullable(), used_at: z.date(), is_published: z.boolean() });

/** The first key of the advisory locks on payers who are promised refunds; the second is a hash of their address. */
const payerLock = 1_919_247_214;
/** The first key of the advisory locks on networks while the refunds that are not earned are counted. */
const unearnedLock = 1_919_247_215;

const counted = z.object({ open: z.int(), recent: z.int(), first_at: z.date().nullable() });

/** As `isEarned`, but for the refund with the number in this column. */
const isUnearned = (number: 'refund_number' | 'refund_nonce') =>
  Prisma.raw(`charged_atomic < (${number} + 1) * ${paidForEachRefund}`);

/**
 * Whether as many refunds that are not earned are open, or were promised in an hour, as may be. A channel that its payer has
 * emptied alone does not count as open, because nothing is left to refund.
 */
async function refusalWhenFull(
  db: Prisma.TransactionClient,
  network: string,
  now: Date,
): Promise<RefundDecision | null> {
  await db.$executeRaw`SELECT pg_advisory_xact_lock(${unearnedLock}::int, hashtext(${network}))`;
  const [row] = await db.$queryRaw<unknown[]>`
    SELECT (SELECT count(*)::int FROM channel WHERE network = ${network} AND refund_number >= refund_nonce
        AND ${isUnearned('refund_number')} AND balance_atomic > 0) AS open,
      count(*)::int AS recent, min(refund_asked_at) AS first_at
    FROM channel WHERE network = ${network} AND refund_asked_at > ${new Date(now.getTime() - hourMs)}
      AND ${isUnearned('refund_number')}`;
  const { open, recent, first_at: firstAt } = counted.parse(row);
  if (open >= unearnedRefundsMax.open) return { kind: 'busy' };
  if (recent < unearnedRefundsMax.perHour || !firstAt) return null;
  return { kind: 'too_soon', until: new Date(firstAt.getTime() + hourMs), because: 'unearned' };
}

/**
 * What is claimed is public, although the ledger may not list it: after a restore, it has not seen the claim. Nothing is used
 * while channels close.
 */
async function factsOf(
  db: Prisma.TransactionClient,
  { id, config, chargedAtomic, claimedAtomic }: Channel,
  quietMs: number,
): Promise<RefundFacts> {
  const [row] = await db.$queryRaw<unknown[]>`
    SELECT COALESCE(used_at, created_at) AS used_at,
      (SELECT max(refund_asked_at) FROM channel WHERE payer = ${config.payer} AND NOT refund_is_public) AS asked_at,
      EXISTS (SELECT FROM published_voucher WHERE channel_id = ${id} AND total_atomic = ${chargedAtomic}) AS is_published
    FROM channel WHERE id = ${id}`;
  const facts = factsRow.parse(row);
  return {
    payerRequestedAt: facts.asked_at,
    isPublic: facts.is_published || (chargedAtomic > 0n && claimedAtomic >= chargedAtomic),
    unusedFrom: new Date(facts.used_at.getTime() + quietMs),
  };
}

/**
 * Locks the payer first, because the limit applies to refunds of all channels of a wallet, and then the row, so that no voucher
 * is charged between the decision and the promise.
 */
async function promise(
  app: WithDatabase & Pick<Platform, 'clock' | 'timings'>,
  request: RefundRequest,
): Promise<RefundDecision> {
  return app.db.$transaction(async (db) => {
    // The limit is read by a later statement, which sees what others promised before they released the lock.
    await db.$executeRaw`
      SELECT pg_advisory_xact_lock(${payerLock}::int, hashtext(payer)) FROM channel WHERE id = ${request.channelId}`;
    const [row] = await db.$queryRaw<unknown[]>`
      SELECT ${Prisma.raw(channelColumns)} FROM channel WHERE id = ${request.channelId} FOR NO KEY UPDATE`;
    if (row === undefined) return { kind: 'refused', reason: cumulativeMismatch };
    const channel = toChannel(row);
    const now = app.clock.date();
    const quietMs = request.isUsable ? app.timings.channels.refundUnusedAfterMs : 0;
    const facts = await factsOf(db, channel, quietMs);
    const decision = decideRefund(channel, request, facts, now);
    if (decision.kind === 'promised' && decision.isNew) {
      const refusal = isEarned(channel) ? null : await refusalWhenFull(db, channel.network, now);
      if (refusal) return refusal;
      const { atomic, number, requestedAt } = decision.refund;
      await db.$executeRaw`
        UPDATE channel SET refund_atomic = ${atomic}, refund_number = ${number}, refund_asked_at = ${requestedAt},
          refund_sent_at = NULL, refund_is_public = ${facts.isPublic} WHERE id = ${channel.id}`;
    }
    return decision;
  });
}

/**
 * Only the authorizer that a channel was opened with can refund it. Channels that cannot be promised a refund now, because
 * their payer got one a moment ago or the contract has more claims than we know of, must not use up the limit. Nor must
 * channels that have not earned it, which come last.
 */
async function idle(
  app: WithDatabase & Pick<Platform, 'clock' | 'timings'>,
  network: string,
  { receiver, receiverAuthorizer, token }: ChannelParties,
  limit: number,
): Promise<Channel[]> {
  const now = app.clock.now();
  const rows = await app.db.$queryRaw<unknown[]>`
    SELECT ${Prisma.raw(channelColumns)} FROM channel
    WHERE network = ${network} AND balance_atomic - charged_atomic >= ${idleWorth}
      AND COALESCE(used_at, created_at) < ${new Date(now - app.timings.channels.refundIdleAfterMs)}
      AND receiver = ${receiver} AND receiver_authorizer = ${receiverAuthorizer} AND token = ${token}
      AND withdrawing_atomic = 0 AND claimed_atomic <= charged_atomic
      AND (refund_number IS NULL OR refund_number < refund_nonce)
      AND NOT EXISTS (SELECT FROM channel AS other WHERE other.payer = channel.payer
        AND other.refund_asked_at > ${new Date(now - refundAgainMs)})
    ORDER BY ${isUnearned('refund_nonce')}, COALESCE(used_at, created_at) LIMIT ${limit}`;
  return rows.map(toChannel);
}

/** The condition that a refund is open and was not sent a moment ago. */
function isToSend(app: WithDatabase & Pick<Platform, 'clock' | 'timings'>): Prisma.Sql {
  const since = new Date(app.clock.now() - app.timings.channels.refundAgainAfterMs);
  return Prisma.sql`refund_number >= refund_nonce AND (refund_sent_at IS NULL OR refund_sent_at < ${since})`;
}

/**
 * Those that were never sent come first: of channels that have earned it, then the largest. Those that failed before wait
 * their turn, so that they do not keep others from being sent.
 */
async function refunding(
  app: WithDatabase & Pick<Platform, 'clock' | 'timings'>,
  network: string,
  limit: number,
): Promise<Channel[]> {
  const rows = await app.db.$queryRaw<unknown[]>`
    SELECT ${Prisma.raw(channelColumns)} FROM channel WHERE network = ${network} AND ${isToSend(app)}
    ORDER BY refund_sent_at NULLS FIRST, ${isUnearned('refund_number')}, refund_atomic DESC LIMIT ${limit}`;
  return rows.map(toChannel);
}

async function takeRefund(
  app: WithDatabase & Pick<Platform, 'clock' | 'timings'>,
  channelId: string,
): Promise<boolean> {
  const taken = await app.db.$executeRaw`
    UPDATE channel SET refund_sent_at = ${app.clock.date()} WHERE id = ${channelId} AND ${isToSend(app)}`;
  return taken === 1;
}

/** The claim that goes with a refund counts as sent. */
async function publish(
  app: WithDatabase & Pick<Platform, 'clock'>,
  { channelId, totalAtomic }: PublicVoucher,
): Promise<void> {
  const now = app.clock.date();
  await app.db.$executeRaw`
    WITH published AS (
      INSERT INTO published_voucher (channel_id, total_atomic, at) VALUES (${channelId}, ${totalAtomic}, ${now})
      ON CONFLICT DO NOTHING
    )
    UPDATE channel SET claim_sent_at = ${now} WHERE id = ${channelId}`;
}

/** Payment channels, for their refunds. */
export function refundBook(app: WithDatabase & Pick<Platform, 'clock' | 'timings'>): RefundBook {
  const { find, record } = channelBook(app);
  return {
    find,
    record,
    publish: (voucher) => publish(app, voucher),
    promise: (request) => promise(app, request),
    idle: (network, parties, limit) => idle(app, network, parties, limit),
    refunding: (network, limit) => refunding(app, network, limit),
    takeRefund: (channelId) => takeRefund(app, channelId),
  };
}
