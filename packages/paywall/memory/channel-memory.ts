import type { ChannelConfig } from '@x402/evm';
import { submittedStates } from '@/lib/ledger/states';
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
import type { ChannelRow } from './channel-memory-rows';
import { isSubmitted } from './memory-charges';
import type { Tables } from './memory-database';
import type { MemoryProcess } from './memory-process';
import type { PaidCallRow } from './memory-rows';
import { moveOfCall } from './memory-transitions';

/** The twin of the book of payment channels in lib/ledger/channel-book.ts. */
export function memoryChannels(process: MemoryProcess): ChannelBook {
  return {
    find: (channelId) => process.query(({ channel }) => toFound(channel.get(channelId))),
    isPublished: (channelId, totalAtomic) =>
      process.query((tables) => isPublished(tables, channelId, totalAtomic)),
    record: (channel, state) =>
      process.query((tables) => record(tables, channel, state, process.clock.date())),
    charge: async (charge) => {
      const at = process.clock.date();
      const decided = await process.query((tables) => chargeIn(tables, charge, at), charge.isFlushedLater);
      return decided ?? process.query(({ paidCall }) => decisionOf(paidCall.get(charge.paidCallId), charge));
    },
    wasCharged: (paidCallId) =>
      process.query(({ paidCall }) => {
        const row = paidCall.get(paidCallId);
        return row !== undefined && row.channelId !== null && row.reorganizations > 0;
      }),
    awaitsDeposit: (channelId) =>
      process.query(
        ({ paidCall }) =>
          paidCall.first(
            (row) => row.channelId === channelId && isSubmitted(row) && row.reorganizations > 0,
          ) !== undefined,
      ),
  };
}

export function isPublished({ publishedVoucher }: Tables, channelId: string, totalAtomic: bigint): boolean {
  return publishedVoucher.get(voucherKey(channelId, totalAtomic)) !== undefined;
}

export const voucherKey = (channelId: string, totalAtomic: bigint) => `${channelId} ${totalAtomic}`;

function record(
  { channel, channelWatch }: Tables,
  { id, network, config }: Pick<Channel, 'id' | 'network' | 'config'>,
  state: ChannelState,
  now: Date,
): Channel {
  const { balanceAtomic, withdrawingAtomic, claimedAtomic, refundNonce, blockNumber } = state;
  const withdrawalBegunAt = BigInt(state.withdrawalBegunAt);
  const figures = { balanceAtomic, withdrawingAtomic, withdrawalBegunAt, claimedAtomic, refundNonce };
  if (!channelWatch.get(network))
    channelWatch.insert({ network, finalBlock: watchStart(blockNumber), seenBlock: blockNumber, at: now });
  const row = channel.get(id);
  if (!row) {
    const { payer, receiver, receiverAuthorizer, token, withdrawDelay, salt } = config;
    return toChannel(
      channel.insert({
        ...{ id, network, payer, receiver, receiverAuthorizer, token, withdrawDelay, salt, ...figures },
        ...{ readAtBlock: blockNumber, readAt: now, openedAtomic: claimedAtomic, openedAtBlock: blockNumber },
        ...{
          chargedAtomic: claimedAtomic,
          writtenOffAtomic: 0n,
          signature: null,
          createdAt: now,
          usedAt: null,
        },
        ...{ claimSentAt: null, claimFailedAt: null, refundAskedAt: null, refundAtomic: 0n },
        ...{ refundNumber: null, refundSentAt: null, refundIsPublic: false },
      }),
    );
  }
  if (row.readAtBlock > blockNumber) return toChannel(row);
  const isClaimed = claimedAtomic > row.claimedAtomic;
  return toChannel(
    channel.update(row, {
      ...figures,
      claimFailedAt: isClaimed ? null : row.claimFailedAt,
      claimSentAt: isClaimed ? null : row.claimSentAt,
      readAt: blockNumber > row.readAtBlock ? now : row.readAt,
      readAtBlock: blockNumber,
    }),
  );
}

/** @returns null when the call cannot be decided now */
function chargeIn(
  { channel, paidCall }: Tables,
  { paidCallId, channelId, maxClaimableAtomic: total, signature, readSince }: VoucherCharge,
  at: Date,
): VoucherDecision | null {
  const call = paidCall.get(paidCallId);
  const row = channel.get(channelId);
  if (!call || !row || call.channelId !== channelId) return null;
  const reason = cumulativeMismatch;
  const settled = moveOfCall('settled', call, { at, moveNote: null });
  const refused = moveOfCall('refusedForGood', call, { at, moveNote: reason, refusalReason: reason });
  if (!settled || !refused) return null;
  const wasCharged = call.reorganizations > 0 && row.chargedAtomic >= total;
  if (!wasCharged && !pays(row, call, total, readSince)) {
    paidCall.update(call, refused);
    return 'refused';
  }
  const isHigher = row.chargedAtomic < total;
  channel.update(row, { usedAt: at, ...(isHigher ? { chargedAtomic: total, signature } : {}) });
  paidCall.update(call, settled);
  return 'settled';
}

function pays(row: ChannelRow, { amountAtomic }: PaidCallRow, total: bigint, readSince: Date): boolean {
  const { chargedAtomic, claimedAtomic, balanceAtomic, withdrawingAtomic, readAt } = row;
  return (
    chargedAtomic + amountAtomic === total &&
    claimedAtomic <= chargedAtomic &&
    total - claimedAtomic <= unclaimedMaxAtomic &&
    total <= balanceAtomic - withdrawingAtomic - (isRefunding(row) ? row.refundAtomic : 0n) &&
    readAt >= readSince
  );
}

export function isRefunding({ refundNumber, refundNonce }: ChannelRow): boolean {
  return refundNumber !== null && refundNumber >= refundNonce;
}

function decisionOf(call: PaidCallRow | undefined, { channelId }: VoucherCharge): VoucherDecision {
  if (call?.channelId !== channelId) return 'unknown';
  if (call.state === 'refused') return 'refused';
  return call.state === 'claimed' || submittedStates.includes(call.state) ? 'unknown' : 'settled';
}

function toFound(row: ChannelRow | undefined): Channel | null {
  return row ? toChannel(row) : null;
}

export function toChannel(row: ChannelRow): Channel {
  const { id, network, balanceAtomic, withdrawingAtomic, claimedAtomic, refundNonce, readAt } = row;
  const { chargedAtomic, writtenOffAtomic, signature, refundNumber, refundAskedAt } = row;
  return {
    ...{ id, network, balanceAtomic, withdrawingAtomic, claimedAtomic, refundNonce, readAt },
    ...{ chargedAtomic, writtenOffAtomic, signature },
    config: configOf(row),
    withdrawalBegunAt: Number(row.withdrawalBegunAt),
    blockNumber: row.readAtBlock,
    refund:
      refundNumber !== null && refundAskedAt !== null
        ? { atomic: row.refundAtomic, number: refundNumber, requestedAt: refundAskedAt }
        : null,
  };
}

function configOf(row: ChannelRow): ChannelConfig {
  const hex = (text: string) => text as `0x${string}`;
  return {
    payer: hex(row.payer),
    payerAuthorizer: hex(row.payer),
    receiver: hex(row.receiver),
    receiverAuthorizer: hex(row.receiverAuthorizer),
    token: hex(row.token),
    withdrawDelay: row.withdrawDelay,
    salt: hex(row.salt),
  };
}
