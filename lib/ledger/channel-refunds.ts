import { z } from 'zod';
import {
  type Channel,
  type ChannelParties,
  cumulativeMismatch,
  type PublicVoucher,
  type RefundBook,
  type RefundRequest,
} from '@/lib/payments/channels/book';
import {
  decideRefund,
  isUnused,
  type RefundDecision,
  refundAgainMs,
  refundAtLeast,
  unusedRefundsMax,
} from '@/lib/payments/channels/refund-rules';
import type { WithDatabase } from '@/lib/platform/database/database';
import { Prisma } from '@/lib/platform/database/generated/client';
import { channelBook, channelColumns, toChannel } from './channel-book';

/** In atomic USDC, as in the index. A refund costs gas, so a smaller amount is left to the payer, who can withdraw it. */
const idleWorth = Prisma.raw(String(refundAtLeast));

const lastAsked = z.object({ at: z.date().nullable() });

/** The first key of the advisory locks on payers who are promised refunds; the second is a hash of their address. */
const payerLock = 1_919_247_214;
/** The first key of the advisory locks on networks while the open refunds of unused channels are counted. */
const unusedLock = 1_919_247_215;

const counted = z.object({ open: z.int() });

/**
 * Whether as many refunds of channels that have paid for no call are open as may be. A channel that its payer has emptied alone
 * does not count, because nothing is left to refund.
 */
async function isFull(db: Prisma.TransactionClient, network: string): Promise<boolean> {
  await db.$executeRaw`SELECT pg_advisory_xact_lock(${unusedLock}::int, hashtext(${network}))`;
  const [row] = await db.$queryRaw<unknown[]>`
    SELECT count(*)::int AS open FROM channel WHERE network = ${network} AND refund_number >= refund_nonce
      AND charged_atomic = 0 AND balance_atomic > 0`;
  return counted.parse(row).open >= unusedRefundsMax;
}

/**
 * Locks the payer first, because the limit applies to refunds of all channels of a wallet, and then the row, so that no voucher
 * is charged between the decision and the promise.
 */
async function promise(app: WithDatabase, request: RefundRequest): Promise<RefundDecision> {
  return app.db.$transaction(async (db) => {
    // The limit is read by a later statement, which sees what others promised before they released the lock.
    await db.$executeRaw`
      SELECT pg_advisory_xact_lock(${payerLock}::int, hashtext(payer)) FROM channel WHERE id = ${request.channelId}`;
    const [row] = await db.$queryRaw<unknown[]>`
      SELECT ${Prisma.raw(channelColumns)} FROM channel WHERE id = ${request.channelId} FOR NO KEY UPDATE`;
    if (row === undefined) return { kind: 'refused', reason: cumulativeMismatch };
    const channel = toChannel(row);
    const [asked] = await db.$queryRaw<unknown[]>`
      SELECT max(refund_asked_at) AS at FROM channel WHERE payer = ${channel.config.payer}`;
    const decision = decideRefund(channel, request, lastAsked.parse(asked).at, app.clock.date());
    if (decision.kind === 'promised' && decision.isNew) {
      if (isUnused(channel) && (await isFull(db, channel.network))) return { kind: 'busy' };
      const { atomic, number, askedAt } = decision.refund;
      await db.$executeRaw`
        UPDATE channel SET refund_atomic = ${atomic}, refund_number = ${number}, refund_asked_at = ${askedAt},
          refund_sent_at = NULL WHERE id = ${channel.id}`;
    }
    return decision;
  });
}

/**
 * Only the authorizer that a channel was opened with can refund it. Channels that cannot be promised a refund now, because
 * their payer got one a moment ago or the contract has more claims than we know of, must not use up the limit. Nor must
 * channels that have paid for no call, which come last.
 */
async function idle(
  app: WithDatabase,
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
    ORDER BY charged_atomic = 0, COALESCE(used_at, created_at) LIMIT ${limit}`;
  return rows.map(toChannel);
}

/** The condition that a refund is open and was not sent a moment ago. */
function isToSend(app: WithDatabase): Prisma.Sql {
  const since = new Date(app.clock.now() - app.timings.channels.refundAgainAfterMs);
  return Prisma.sql`refund_number >= refund_nonce AND (refund_sent_at IS NULL OR refund_sent_at < ${since})`;
}

/**
 * Those that were never sent come first: of channels that have paid for calls, then the largest. Those that failed before wait
 * their turn, so that they do not keep others from being sent.
 */
async function refunding(app: WithDatabase, network: string, limit: number): Promise<Channel[]> {
  const rows = await app.db.$queryRaw<unknown[]>`
    SELECT ${Prisma.raw(channelColumns)} FROM channel WHERE network = ${network} AND ${isToSend(app)}
    ORDER BY refund_sent_at NULLS FIRST, charged_atomic = 0, refund_atomic DESC LIMIT ${limit}`;
  return rows.map(toChannel);
}

async function takeRefund(app: WithDatabase, channelId: string): Promise<boolean> {
  const taken = await app.db.$executeRaw`
    UPDATE channel SET refund_sent_at = ${app.clock.date()} WHERE id = ${channelId} AND ${isToSend(app)}`;
  return taken === 1;
}

/** The claim that goes with a refund counts as sent. */
async function publish(app: WithDatabase, { channelId, totalAtomic }: PublicVoucher): Promise<void> {
  const now = app.clock.date();
  await app.db.$executeRaw`
    WITH published AS (
      INSERT INTO published_voucher (channel_id, total_atomic, at) VALUES (${channelId}, ${totalAtomic}, ${now})
      ON CONFLICT DO NOTHING
    )
    UPDATE channel SET claim_sent_at = ${now} WHERE id = ${channelId}`;
}

/** Payment channels, for their refunds. */
export function refundBook(app: WithDatabase): RefundBook {
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
