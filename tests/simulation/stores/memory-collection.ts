import { claimWorthAtomic } from '@/lib/ledger/channel-unclaimed';
import type { CollectionBook, PublicVoucher } from '@/lib/payments/channels/channel';
import { memoryChannels, toChannel, voucherKey } from '@/packages/paywall/memory/channel-memory';
import type { ChannelRow } from '@/packages/paywall/memory/channel-memory-rows';
import { totalOf } from '@/packages/paywall/memory/channel-memory-triggers';
import type { Tables } from '@/packages/paywall/memory/memory-database';
import type { MemoryProcess } from './memory-process';

/** A channel is claimed once this much of it is unclaimed, in atomic USDC. */
const claimFromAtomic = 500_000n;

/** The twin of what collecting needs from the ledger, in lib/ledger/channel-collection.ts. */
export function memoryCollection(process: MemoryProcess): CollectionBook {
  const { clock } = process;
  const { claimAgainAfterMs, claimAfterMs } = process.timings.channels;
  const isSendable = (row: ChannelRow) =>
    hasUnclaimed(row) &&
    (row.claimSentAt === null || row.claimSentAt.getTime() < clock.now() - claimAgainAfterMs);
  return {
    record: memoryChannels(process).record,
    due: (network, { limit, isClosing }) =>
      process.query((tables) => {
        const toClaim = tables.channel
          .where((row) => row.network === network && isSendable(row))
          .toSorted((one, other) => compare(owedBy(other), owedBy(one)));
        const isUnused = ({ usedAt }: ChannelRow) =>
          usedAt !== null && usedAt.getTime() < clock.now() - claimAfterMs;
        const isWorth = (row: ChannelRow) =>
          owedBy(row) >= claimWorthAtomic && (isClosing || owedBy(row) >= claimFromAtomic || isUnused(row));
        const found = [isBeingEmptied, (row: ChannelRow) => isOfCallToRefund(tables, row), isWorth].flatMap(
          (condition) => toClaim.filter(condition).slice(0, limit),
        );
        return [...new Set(found)]
          .toSorted(
            (one, other) =>
              Number(isBeingEmptied(other)) - Number(isBeingEmptied(one)) ||
              compare(owedBy(other), owedBy(one)),
          )
          .slice(0, limit)
          .map(toChannel);
      }),
    takeClaims: (vouchers) =>
      process.query((tables) => {
        const taken = new Set<string>();
        for (const { channelId } of vouchers) {
          const row = tables.channel.get(channelId);
          if (!row || !isSendable(row)) continue;
          tables.channel.update(row, { claimSentAt: clock.date() });
          taken.add(channelId);
        }
        for (const voucher of vouchers)
          if (taken.has(voucher.channelId)) publish(tables, voucher, clock.date());
        return taken;
      }),
    giveBackClaims: async (channelIds) => {
      await process.query(({ channel }) => {
        for (const row of channel.where(({ id }) => channelIds.includes(id)))
          channel.update(row, { claimSentAt: null });
      });
    },
    noteUnclaimable: async (channelId) => {
      await process.query(({ channel }) => {
        const row = channel.get(channelId);
        const now = clock.date();
        if (row) channel.update(row, { claimSentAt: now, claimFailedAt: row.claimFailedAt ?? now });
      });
    },
    known: (channelIds) =>
      process.query(({ channel }) => channel.where(({ id }) => channelIds.includes(id)).map(toChannel)),
    knownPayees: (network, payees) =>
      process.query(({ channel }) =>
        payees
          .filter(({ receiver, token }) =>
            channel.first(
              (row) => row.network === network && row.receiver === receiver && row.token === token,
            ),
          )
          .map(({ receiver, token }) => ({ receiver, token })),
      ),
    watchedUntil: (network) =>
      process.query(({ channelWatch }) => {
        const row = channelWatch.get(network);
        return row ? { finalBlock: row.finalBlock, seenBlock: row.seenBlock } : null;
      }),
    recordEvents: async (network, events, { finalBlock, seenBlock }) => {
      await process.query(({ channel, channelEvent, channelWatch }) => {
        const at = clock.date();
        type Read = (typeof events)[number];
        const isClaim = ({ name, channelId, claimedAtomic = 0n }: Read) =>
          name === 'Claimed' && claimedAtomic > (channel.get(channelId ?? '')?.openedAtomic ?? claimedAtomic);
        const isNew = (event: Read) => {
          const { name, blockNumber, transactionHash } = event;
          if (name !== 'Settled') return name !== 'Claimed' || isClaim(event);
          const isAfter = channel.first((row) => row.network === network && row.openedAtBlock < blockNumber);
          return isAfter || events.some((one) => one.transactionHash === transactionHash && isClaim(one));
        };
        const inOrder = events
          .filter(isNew)
          .toSorted(
            (one, other) => compare(one.blockNumber, other.blockNumber) || one.logIndex - other.logIndex,
          );
        for (const event of inOrder) {
          const { blockNumber, transactionHash, logIndex, name, channelId, amountAtomic } = event;
          const place = { network, blockNumber, transactionHash, logIndex };
          const row = { id: channelEvent.size + 1, ...place, name, channelId, amountAtomic, at };
          if (!channelEvent.hasConflict(row)) channelEvent.insert(row);
        }
        const watch = channelWatch.get(network);
        if (!watch) channelWatch.insert({ network, finalBlock, seenBlock, at });
        else
          channelWatch.update(watch, {
            finalBlock: largest(finalBlock, watch.finalBlock),
            ...{ seenBlock, at },
          });
      });
    },
    unclaimed: (network) =>
      process.query(({ channel }) =>
        channel
          .where((row) => row.network === network && hasUnclaimed(row))
          .reduce((sum, row) => sum + owedBy(row) - lostOf(row), 0n),
      ),
  };
}

/** Records that a voucher is public now. */
export function publish(
  { publishedVoucher }: Tables,
  { channelId, totalAtomic }: PublicVoucher,
  at: Date,
): void {
  if (!publishedVoucher.get(voucherKey(channelId, totalAtomic)))
    publishedVoucher.insert({ channelId, totalAtomic, at });
}

const largest = (one: bigint, other: bigint) => (one > other ? one : other);
const compare = (one: bigint, other: bigint) => (one < other ? -1 : Number(one > other));
const owedBy = ({ chargedAtomic, claimedAtomic }: ChannelRow) => chargedAtomic - claimedAtomic;

/** The part of a write-off that is still lost. */
function lostOf({ chargedAtomic, claimedAtomic, balanceAtomic, writtenOffAtomic }: ChannelRow): bigint {
  const payable = largest(claimedAtomic, balanceAtomic);
  const unclaimable = chargedAtomic > payable ? chargedAtomic - payable : 0n;
  return unclaimable < writtenOffAtomic ? unclaimable : writtenOffAtomic;
}

function hasUnclaimed(row: ChannelRow): boolean {
  return owedBy(row) > 0n && owedBy(row) > lostOf(row);
}

/** Its payer is withdrawing part of what was already spent. */
function isBeingEmptied({ withdrawingAtomic, chargedAtomic, balanceAtomic }: ChannelRow): boolean {
  return withdrawingAtomic > 0n && chargedAtomic > balanceAtomic - withdrawingAtomic;
}

/** A call in need of attention waits for its price to be claimed. */
function isOfCallToRefund({ paidCall }: Tables, { id, claimedAtomic }: ChannelRow): boolean {
  const isWaiting = paidCall.first(
    (call) => call.channelId === id && call.state === 'needs_attention' && totalOf(call) > claimedAtomic,
  );
  return isWaiting !== undefined;
}
