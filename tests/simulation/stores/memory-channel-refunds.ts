import { cumulativeMismatch, type RefundBook, type RefundRequest } from '@/lib/payments/channels/channel';
import {
  decideRefund,
  isEarned,
  paidForEachRefund,
  type RefundDecision,
  refundAgainMs,
  refundAtLeast,
  unearnedRefundsMax,
} from '@/lib/payments/channels/channel-refund-rules';
import {
  isPublished,
  isRefunding,
  memoryChannels,
  toChannel,
} from '@/packages/paywall/memory/channel-memory';
import type { ChannelRow } from '@/packages/paywall/memory/channel-memory-rows';
import type { Tables } from '@/packages/paywall/memory/memory-database';
import { publish } from './memory-collection';
import type { MemoryProcess } from './memory-process';

const hourMs = 3_600_000;

/** The twin of what refunds of channels need from the ledger, in lib/ledger/channel-refunds.ts. */
export function memoryChannelRefunds(process: MemoryProcess): RefundBook {
  const { clock } = process;
  const { refundAgainAfterMs, refundIdleAfterMs, refundUnusedAfterMs } = process.timings.channels;
  const { find, record } = memoryChannels(process);
  const isToSend = (row: ChannelRow) =>
    isRefunding(row) &&
    (row.refundSentAt === null || row.refundSentAt.getTime() < clock.now() - refundAgainAfterMs);
  return {
    find,
    record,
    publish: async (voucher) => {
      await process.query((tables) => {
        const row = tables.channel.get(voucher.channelId);
        publish(tables, voucher, clock.date());
        if (row) tables.channel.update(row, { claimSentAt: clock.date() });
      });
    },
    promise: (request) =>
      process.query((tables) => promise(tables, request, clock.date(), refundUnusedAfterMs)),
    idle: (network, { receiver, receiverAuthorizer, token }, limit) =>
      process.query(({ channel }) => {
        const isRecent = (payer: string) =>
          channel.first(
            (row) =>
              row.payer === payer &&
              row.refundAskedAt !== null &&
              row.refundAskedAt.getTime() > clock.now() - refundAgainMs,
          ) !== undefined;
        return channel
          .where(
            (row) =>
              row.network === network &&
              row.balanceAtomic - row.chargedAtomic >= refundAtLeast &&
              usedAtOf(row).getTime() < clock.now() - refundIdleAfterMs &&
              row.receiver === receiver &&
              row.receiverAuthorizer === receiverAuthorizer &&
              row.token === token &&
              row.withdrawingAtomic === 0n &&
              row.claimedAtomic <= row.chargedAtomic &&
              !isRefunding(row) &&
              !isRecent(row.payer),
          )
          .toSorted(
            (one, other) =>
              Number(isUnearned(one, one.refundNonce)) - Number(isUnearned(other, other.refundNonce)) ||
              usedAtOf(one).getTime() - usedAtOf(other).getTime(),
          )
          .slice(0, limit)
          .map(toChannel);
      }),
    refunding: (network, limit) =>
      process.query(({ channel }) =>
        channel
          .where((row) => row.network === network && isToSend(row))
          .toSorted(byTurn)
          .slice(0, limit)
          .map(toChannel),
      ),
    takeRefund: (channelId) =>
      process.query(({ channel }) => {
        const row = channel.get(channelId);
        if (!row || !isToSend(row)) return false;
        channel.update(row, { refundSentAt: clock.date() });
        return true;
      }),
  };
}

const usedAtOf = ({ usedAt, createdAt }: ChannelRow) => usedAt ?? createdAt;

const isUnearned = ({ chargedAtomic }: ChannelRow, number: bigint) =>
  chargedAtomic < (number + 1n) * paidForEachRefund;

/** Those that were never sent first; of these, those that have earned it, then the largest. */
function byTurn(one: ChannelRow, other: ChannelRow): number {
  const sentAt = ({ refundSentAt }: ChannelRow) => refundSentAt?.getTime() ?? 0;
  const unearned = (row: ChannelRow) => Number(isUnearned(row, row.refundNumber ?? 0n));
  return (
    sentAt(one) - sentAt(other) ||
    unearned(one) - unearned(other) ||
    Number(other.refundAtomic - one.refundAtomic)
  );
}

function promise(tables: Tables, request: RefundRequest, now: Date, unusedAfterMs: number): RefundDecision {
  const row = tables.channel.get(request.channelId);
  if (!row) return { kind: 'refused', reason: cumulativeMismatch };
  const channel = toChannel(row);
  const { chargedAtomic, claimedAtomic } = channel;
  const requestedAt = tables.channel
    .where(({ payer, refundIsPublic }) => payer === row.payer && !refundIsPublic)
    .flatMap(({ refundAskedAt }) => refundAskedAt?.getTime() ?? []);
  const isPublic =
    isPublished(tables, row.id, chargedAtomic) || (chargedAtomic > 0n && claimedAtomic >= chargedAtomic);
  const facts = {
    payerRequestedAt: requestedAt.length > 0 ? new Date(Math.max(...requestedAt)) : null,
    isPublic,
    unusedFrom: new Date(usedAtOf(row).getTime() + (request.isUsable ? unusedAfterMs : 0)),
  };
  const decision = decideRefund(channel, request, facts, now);
  if (decision.kind !== 'promised' || !decision.isNew) return decision;
  const refusal = isEarned(channel) ? null : refusalWhenFull(tables, row.network, now);
  if (refusal) return refusal;
  tables.channel.update(row, {
    refundAtomic: decision.refund.atomic,
    refundNumber: decision.refund.number,
    refundAskedAt: decision.refund.requestedAt,
    refundSentAt: null,
    refundIsPublic: isPublic,
  });
  return decision;
}

/** Whether as many refunds that are not earned are open, or were promised in an hour, as may be. */
function refusalWhenFull({ channel }: Tables, network: string, now: Date): RefundDecision | null {
  const unearned = channel.where(
    (row) => row.network === network && row.refundNumber !== null && isUnearned(row, row.refundNumber),
  );
  const open = unearned.filter((row) => isRefunding(row) && row.balanceAtomic > 0n);
  if (open.length >= unearnedRefundsMax.open) return { kind: 'busy' };
  const recent = unearned
    .flatMap(({ refundAskedAt }) => refundAskedAt?.getTime() ?? [])
    .filter((at) => at > now.getTime() - hourMs);
  if (recent.length < unearnedRefundsMax.perHour) return null;
  return { kind: 'too_soon', until: new Date(Math.min(...recent) + hourMs), because: 'unearned' };
}
