import { z } from 'zod';
import {
  type Channel,
  type ChannelBook,
  type ChannelState,
  cumulativeMismatch,
  unclaimedMaxAtomic,
  type VoucherCharge,
  type VoucherDecision,
  watchStart,
} from '@/lib/payments/channels/channel';
import type { Payment } from '@/lib/payments/payment';
import { batchedQuery, flushedLater } from '@/lib/platform/database/batched-query';
import type { WithDatabase } from '@/lib/platform/database/database';
import { Prisma } from '@/lib/platform/database/generated/client';
import type { Platform } from '@/lib/platform/platform';
import { listed, type PaidCallState, submittedStates } from './states';
import { callMoves, chargedOrRefused } from './transition';

const channelRow = z.object({
  id: z.string(),
  network: z.string(),
  payer: z.string(),
  receiver: z.string(),
  receiver_authorizer: z.string(),
  token: z.string(),
  withdraw_delay: z.number(),
  salt: z.string(),
  balance_atomic: z.coerce.bigint(),
  withdrawing_atomic: z.coerce.bigint(),
  withdrawal_begun_at: z.coerce.number(),
  claimed_atomic: z.coerce.bigint(),
  refund_nonce: z.coerce.bigint(),
  read_at_block: z.coerce.bigint(),
  read_at: z.coerce.date(),
  charged_atomic: z.coerce.bigint(),
  written_off_atomic: z.coerce.bigint(),
  signature: z.string().nullable(),
  refund_atomic: z.coerce.bigint(),
  refund_number: z.coerce.bigint().nullable(),
  refund_asked_at: z.coerce.date().nullable(),
});

/** The columns that `toChannel` reads. */
export const channelColumns = `channel.id, channel.network, channel.payer, receiver, receiver_authorizer, token, withdraw_delay, salt,
  balance_atomic, withdrawing_atomic, withdrawal_begun_at, claimed_atomic, refund_nonce, read_at_block, read_at,
  charged_atomic, written_off_atomic, signature, refund_atomic, refund_number, refund_asked_at`;

/**
 * The condition that the payer of a channel is withdrawing part of what was already spent, so that it has to be claimed first.
 * A smaller withdrawal needs no claim: the contract pays out no more than was requested, and no voucher is accepted for that
 * part.
 */
export const isBeingEmptied =
  'withdrawing_atomic > 0 AND charged_atomic > balance_atomic - withdrawing_atomic';

export function toChannel(raw: unknown): Channel {
  const row = channelRow.parse(raw);
  return {
    id: row.id,
    network: row.network,
    config: configSchema.parse({
      payer: row.payer,
      payerAuthorizer: row.payer,
      receiver: row.receiver,
      receiverAuthorizer: row.receiver_authorizer,
      token: row.token,
      withdrawDelay: row.withdraw_delay,
      salt: row.salt,
    }),
    balanceAtomic: row.balance_atomic,
    withdrawingAtomic: row.withdrawing_atomic,
    withdrawalBegunAt: row.withdrawal_begun_at,
    claimedAtomic: row.claimed_atomic,
    refundNonce: row.refund_nonce,
    blockNumber: row.read_at_block,
    readAt: row.read_at,
    chargedAtomic: row.charged_atomic,
    writtenOffAtomic: row.written_off_atomic,
    signature: row.signature,
    refund:
      row.refund_number !== null && row.refund_asked_at !== null
        ? { atomic: row.refund_atomic, number: row.refund_number, requestedAt: row.refund_asked_at }
        : null,
  };
}

const hex = z.templateLiteral(['0x', z.string()]);
const configSchema = z.object({
  payer: hex,
  payerAuthorizer: hex,
  receiver: hex,
  receiverAuthorizer: hex,
  token: hex,
  withdrawDelay: z.number(),
  salt: hex,
});

const selectChannel = batchedQuery<object, unknown>(
  `SELECT n, ${channelColumns} FROM json_to_recordset($1::json) AS asked(n integer, "channelId" text)
   JOIN channel ON channel.id = asked."channelId"`,
);

async function findChannel(app: WithDatabase, channelId: string): Promise<Channel | null> {
  const [row] = await selectChannel(app, { channelId });
  return row === undefined ? null : toChannel(row);
}

/**
 * The chain's figures are replaced only by those of the same block or a later one. Figures of the same block keep their age: a
 * stalled node says nothing about withdrawals. The contract's events are read from a little before the block in which the first
 * channel of its network was read, however much later that begins.
 */
async function recordChannel(
  app: WithDatabase & Pick<Platform, 'clock'>,
  { id, network, config }: Pick<Channel, 'id' | 'network' | 'config'>,
  state: ChannelState,
): Promise<Channel> {
  const now = app.clock.date();
  const { balanceAtomic, withdrawingAtomic, withdrawalBegunAt, claimedAtomic, refundNonce, blockNumber } =
    state;
  const [row] = await app.db.$queryRaw<unknown[]>`
    WITH watched AS (
      INSERT INTO channel_watch (network, final_block, seen_block, at)
      SELECT ${network}, ${watchStart(blockNumber)}, ${blockNumber}, ${now}
      WHERE NOT EXISTS (SELECT FROM channel_watch WHERE network = ${network})
      ON CONFLICT DO NOTHING
    )
    INSERT INTO channel (id, network, payer, receiver, receiver_authorizer, token, withdraw_delay, salt, balance_atomic,
      withdrawing_atomic, withdrawal_begun_at, claimed_atomic, refund_nonce, read_at_block, read_at, opened_atomic,
      opened_at_block, charged_atomic, created_at)
    VALUES (${id}, ${network}, ${config.payer}, ${config.receiver}, ${config.receiverAuthorizer}, ${config.token},
      ${config.withdrawDelay}, ${config.salt}, ${balanceAtomic}, ${withdrawingAtomic}, ${withdrawalBegunAt},
      ${claimedAtomic}, ${refundNonce}, ${blockNumber}, ${now}, ${claimedAtomic}, ${blockNumber}, ${claimedAtomic}, ${now})
    ON CONFLICT (id) DO UPDATE SET balance_atomic = EXCLUDED.balance_atomic,
      withdrawing_atomic = EXCLUDED.withdrawing_atomic, withdrawal_begun_at = EXCLUDED.withdrawal_begun_at,
      claimed_atomic = EXCLUDED.claimed_atomic, refund_nonce = EXCLUDED.refund_nonce,
      -- A claim that has landed hinders no other: its channel may be in use, and owe as much again soon.
      claim_failed_at = CASE WHEN EXCLUDED.claimed_atomic > channel.claimed_atomic THEN NULL
        ELSE channel.claim_failed_at END,
      claim_sent_at = CASE WHEN EXCLUDED.claimed_atomic > channel.claimed_atomic THEN NULL
        ELSE channel.claim_sent_at END,
      read_at = CASE WHEN EXCLUDED.read_at_block > channel.read_at_block THEN EXCLUDED.read_at ELSE channel.read_at END,
      read_at_block = EXCLUDED.read_at_block
    WHERE channel.read_at_block <= EXCLUDED.read_at_block
    RETURNING ${Prisma.raw(channelColumns)}`;
  const channel = row === undefined ? await findChannel(app, id) : toChannel(row);
  if (!channel) throw new Error('a channel was neither stored nor found');
  return channel;
}

const decision = z.object({ state: z.custom<PaidCallState>((value) => typeof value === 'string') });

const decided = chargedOrRefused(cumulativeMismatch);

/**
 * Charges one voucher of each channel, the lowest, because the next one must be checked against the total that this one leaves.
 * The others are returned without a state. Calls and channels are locked in a fixed order.
 */
const chargeLowestWhere = (condition: string) =>
  batchedQuery<object, { readonly state: string | null }>(
    `WITH asked AS (
     SELECT *, row_number() OVER (PARTITION BY channel_id ORDER BY total, n) = 1 AS is_lowest
     FROM json_to_recordset($1::json) AS asked(n integer, id text, channel_id text, total numeric, signature text,
       read_since timestamptz, at timestamptz)
     WHERE ${condition}
   ), call AS MATERIALIZED (
     SELECT asked.*, amount_atomic, reorganizations
     FROM asked JOIN paid_call USING (id) JOIN channel ON channel.id = asked.channel_id
     WHERE is_lowest AND paid_call.channel_id = asked.channel_id AND ${callMoves.isLegal('settled', 'refusedForGood').sql}
     ORDER BY channel.id FOR NO KEY UPDATE OF paid_call, channel
   ), charged AS (
     UPDATE channel SET charged_atomic = GREATEST(charged_atomic, total), used_at = call.at,
       signature = CASE WHEN charged_atomic < total THEN call.signature ELSE channel.signature END
     FROM call WHERE channel.id = call.channel_id
       AND (
         -- Charged before a re-organization took its deposit away. The charge stands, whatever the channel holds by now.
         (reorganizations > 0 AND charged_atomic >= total)
         OR (charged_atomic + amount_atomic = total
           AND claimed_atomic <= charged_atomic
           AND total - claimed_atomic <= ${unclaimedMaxAtomic}
           AND total <= balance_atomic - withdrawing_atomic
             - CASE WHEN refund_number >= refund_nonce THEN refund_atomic ELSE 0 END
           AND read_at >= read_since)
       )
     RETURNING channel.id
   ), decided AS (
     SELECT n, call.id, at, channel_id IN (SELECT id FROM charged) AS is_paid FROM call
   ), moved AS (
     UPDATE paid_call SET ${decided.set.sql} FROM decided WHERE paid_call.id = decided.id AND ${decided.isLegal.sql}
     RETURNING n, state::text
   )
   SELECT n, state FROM moved
   UNION ALL SELECT n, NULL FROM asked WHERE NOT is_lowest`,
  );
const chargeLowest = chargeLowestWhere('true');
const chargeLowestFlushedLater = chargeLowestWhere(flushedLater);

/**
 * Charges a call to its channel in one statement. The voucher pays if it raises the channel's total by exactly the price, and
 * the total stays within the balance minus what is being withdrawn or refunded. Otherwise the call is refused for good, and its
 * key is free again. A trigger frees its authorization too, because a voucher that has not paid may buy something else. Safe to
 * repeat. The charge is on disk when this returns, unless it is flushed later: then it reaches the disk with the answer, which is
 * only stored for a charged call, or with the claim of the channel. Nothing leaves the process before that.
 *
 * The call is looked up by its id alone. Once it is refused, its voucher may belong to another call, with another outcome.
 */
async function chargeVoucher(
  app: WithDatabase & Pick<Platform, 'clock'>,
  charge: VoucherCharge,
): Promise<VoucherDecision> {
  const entry = {
    id: charge.paidCallId,
    channel_id: charge.channelId,
    // A client may sign an amount that does not fit into a PostgreSQL bigint.
    total: charge.maxClaimableAtomic.toString(),
    signature: charge.signature,
    read_since: charge.readSince,
    at: app.clock.date(),
  };
  const chargeOne = charge.isFlushedLater ? chargeLowestFlushedLater : chargeLowest;
  for (;;) {
    const [row] = await chargeOne(app, entry);
    if (row === undefined) return decisionOf(await decidedBefore(app, charge));
    // A lower voucher of its channel was decided first. Nothing is lower than that one, so each round decides at least one.
    if (row.state !== null) return decisionOf(row);
  }
}

async function decidedBefore(app: WithDatabase, { paidCallId, channelId }: VoucherCharge): Promise<unknown> {
  const [row] = await app.db.$queryRaw<unknown[]>`
    SELECT state FROM paid_call WHERE id = ${paidCallId} AND channel_id = ${channelId}`;
  return row;
}

function decisionOf(row: unknown): VoucherDecision {
  if (row === undefined) return 'unknown';
  const { state } = decision.parse(row);
  if (state === 'refused') return 'refused';
  return state === 'claimed' || submittedStates.includes(state) ? 'unknown' : 'settled';
}

/** A reorganization moves only paid calls back to `unknown`, so such a call was charged. It may be paid again by now. */
async function wasCharged(app: WithDatabase, paidCallId: string): Promise<boolean> {
  const rows = await app.db.$queryRaw<unknown[]>`
    SELECT FROM paid_call WHERE id = ${paidCallId} AND channel_id IS NOT NULL AND reorganizations > 0`;
  return rows.length > 0;
}

async function awaitsDeposit(app: WithDatabase, channelId: string): Promise<boolean> {
  const rows = await app.db.$queryRaw<unknown[]>`
    SELECT FROM paid_call
    WHERE channel_id = ${channelId} AND state IN ${Prisma.raw(listed(submittedStates))} AND reorganizations > 0 LIMIT 1`;
  return rows.length > 0;
}

const selectPublished = batchedQuery<object, unknown>(
  `SELECT n FROM json_to_recordset($1::json) AS asked(n integer, channel_id text, total numeric)
   WHERE EXISTS (SELECT FROM published_voucher AS published
     WHERE published.channel_id = asked.channel_id AND total_atomic = total)`,
);

async function isPublished(app: WithDatabase, channelId: string, totalAtomic: bigint): Promise<boolean> {
  const rows = await selectPublished(app, { channel_id: channelId, total: totalAtomic.toString() });
  return rows.length > 0;
}

/**
 * Whether a payment is a channel's voucher that only its payer can know. A voucher is public once a claim that contains it was
 * signed.
 */
export async function isVoucherPrivate(app: WithDatabase, { channelId, signed }: Payment): Promise<boolean> {
  if (channelId === undefined || signed.family !== 'channel') return false;
  return !(await isPublished(app, channelId, BigInt(signed.maxClaimable)));
}

/** Payment channels, for their settler and their rail. */
export function channelBook(app: WithDatabase & Pick<Platform, 'clock'>): ChannelBook {
  return {
    find: (channelId) => findChannel(app, channelId),
    isPublished: (channelId, totalAtomic) => isPublished(app, channelId, totalAtomic),
    record: (channel, state) => recordChannel(app, channel, state),
    charge: (charge) => chargeVoucher(app, charge),
    wasCharged: (paidCallId) => wasCharged(app, paidCallId),
    awaitsDeposit: (channelId) => awaitsDeposit(app, channelId),
  };
}
