import { paidStates } from '@/lib/ledger/states';
import { isRefunding } from '@/packages/paywall/memory/channel-memory';
import type { ChannelRow } from '@/packages/paywall/memory/channel-memory-rows';
import type { PaidCallRow, PostingRow } from '@/packages/paywall/memory/memory-rows';
import type { Order } from '../buyers';
import type { Violation } from '../checks';
import { keyOf, transfersOf } from '../transfers';
import { settlementKeys, type World } from '../world';
import { type ChannelPayer, totalOf } from './channel-payer';
import { type ContractEvent, eventsIn, eventsOn, hasEvent } from './contract';

/**
 * Whether nothing is left to do for channels: what was spent is claimed as far as the contract holds it, refunds are made, and
 * the books have all that happened in final blocks.
 */
export function areChannelsQuiet(world: World): boolean {
  const { channel, channelEvent } = world.database.tables;
  return world.channels.every((payer) => {
    const row = channel.get(payer.id);
    if (!row) return true;
    const { claimed, balance, refunds } = payer.onChain;
    const known = channelEvent
      .where(({ channelId, name }) => channelId === row.id && name === 'Claimed')
      .reduce((sum, { amountAtomic }) => sum + amountAtomic, row.openedAtomic);
    const isClaimed = claimed === least(row.chargedAtomic, balance) || balance <= claimed;
    const isSeen =
      row.claimedAtomic === claimed && row.balanceAtomic === balance && row.refundNonce === refunds;
    return isClaimed && isSeen && known === claimed && (!isRefunding(row) || balance === claimed);
  });
}

/** Holds what is promised about channels against rows, the contract and what their payers signed, once a history has ended. */
export function findChannelViolations(world: World, orders: readonly Order[]): Violation[] {
  if (world.channels.length === 0) return [];
  return [
    ...world.channels.flatMap((payer) =>
      ofChannel(world, payer).map((promise) => ({ promise, names: [payer.name, payer.id] })),
    ),
    ...ofBooks(world),
    ...ofOrders(world, orders),
  ];
}

const paidThrough = ({ database }: World, id: string) =>
  database.tables.paidCall.where((call) => call.channelId === id && paidStates.includes(call.state));

function ofChannel(world: World, payer: ChannelPayer): string[] {
  const { id, onChain, vouchers } = payer;
  const { balance, claimed } = onChain;
  const row = world.database.tables.channel.get(id);
  const paid = paidThrough(world, id);
  if (!row) return paid.length > 0 || claimed > 0n ? ['the books do not know it, and it was used'] : [];
  const { chargedAtomic: charged, signature } = row;
  const broken: string[] = [];
  const signed = [...vouchers.keys()].reduce((most, total) => (total > most ? total : most), 0n);
  if (claimed > signed) broken.push(`${claimed} is claimed, and ${signed} was signed`);
  if (claimed > charged) broken.push(`${claimed} is claimed, and ${charged} was charged`);
  if (charged > row.openedAtomic && signature !== vouchers.get(charged))
    broken.push(`${charged} is charged, and the stored voucher is not its payer's for that`);
  broken.push(...ofSteps(row, paid));
  const isDepositLost = hasLostDeposit(world, payer);
  if (charged > balance && !isDepositLost)
    broken.push(`${charged} is charged, and the contract holds ${balance}`);
  if (claimed < least(charged, balance)) broken.push(`${claimed} of ${charged} is claimed in the end`);
  if (isRefunding(row) && balance > claimed) broken.push('a promised refund was not made');
  if (row.claimedAtomic !== claimed || row.balanceAtomic !== balance)
    broken.push(
      `the books say ${row.claimedAtomic} of ${row.balanceAtomic}, and the contract ${claimed} of ${balance}`,
    );
  return broken;
}

/** The totals of the calls that a channel paid for join without gap or overlap. */
function ofSteps({ openedAtomic, chargedAtomic }: ChannelRow, paid: readonly PaidCallRow[]): string[] {
  let total = openedAtomic;
  for (const call of paid.toSorted((one, other) => Number(totalOf(one) - totalOf(other)))) {
    total += call.amountAtomic;
    if (totalOf(call) !== total)
      return [`${call.id} was paid by a voucher for ${totalOf(call)}, and not for ${total}`];
  }
  return total === chargedAtomic ? [] : [`${chargedAtomic} is charged, and its calls cost ${total}`];
}

/** Whether a reorganization has taken a deposit away for good. What was delivered for it is owed. */
function hasLostDeposit(world: World, { address, deposits }: ChannelPayer): boolean {
  const made = transfersOf(world);
  const lost = [...deposits].filter((authorization) => !made.has(keyOf({ payer: address, authorization })));
  const removed = world.chain.blocks.removed().flatMap(({ transactions }) => transactions);
  return removed.some(({ logs }) => logs.some(({ topics }) => topics.some((topic) => lost.includes(topic))));
}

/** What is unclaimed, claimed and paid out is the same in the books and in the contract. */
function ofBooks(world: World): Violation[] {
  const { posting } = world.database.tables;
  const events = eventsOn(world);
  const sumOf = (wanted: string) =>
    events.reduce((sum, { name, amount }) => (name === wanted ? sum + amount : sum), 0n);
  const [claimed, settled] = [sumOf('Claimed'), sumOf('Settled')];
  const spent = world.channels
    .flatMap(({ id }) => paidThrough(world, id))
    .reduce((sum, { amountAtomic }) => sum + amountAtomic, 0n);
  const booked = (account: string) => balanceOf(posting.all(), `chain:base:${account}`);
  const expected = { unclaimed: spent - claimed, claimed: claimed - settled } as const;
  return Object.entries(expected).flatMap(([account, real]) =>
    booked(account) === real
      ? []
      : { promise: `${account} of channels: the books say ${booked(account)}, and it is ${real}`, names: [] },
  );
}

function balanceOf(postings: readonly PostingRow[], account: string): bigint {
  return postings.reduce((sum, { debitAccount, creditAccount, amountAtomic }) => {
    const debit = debitAccount === account ? amountAtomic : 0n;
    return sum + debit - (creditAccount === account ? amountAtomic : 0n);
  }, 0n);
}

/** What was delivered for a voucher is charged, each call to the one order that it was for. */
function ofOrders({ database }: World, orders: readonly Order[]): Violation[] {
  return orders.flatMap(({ name, requests }) =>
    requests.flatMap(({ payment, answer }) => {
      if (payment.channelId === undefined || answer?.kind !== 'answered') return [];
      const row = database.tables.paidCall.get(answer.paidCallId ?? '');
      const isPaid = row?.channelId === payment.channelId && paidStates.includes(row.state);
      return isPaid ? [] : { promise: 'it was delivered, and no voucher pays for it', names: [name] };
    }),
  );
}

const least = (one: bigint, other: bigint) => (one < other ? one : other);

/** Counts what happened to channels. */
export function countChannels(world: World): void {
  if (world.channels.length === 0) return;
  const { coverage, chain, database } = world;
  const ours = new Set(settlementKeys.map(({ address }) => address.toLowerCase()));
  const count = (what: string) => coverage.count('channel', what);
  const withdrawing = new Set<string | null>();
  const isByOthers = ({ name, from }: ContractEvent) =>
    ['Deposited', 'Claimed'].includes(name) && !ours.has(from);
  for (const event of eventsOn(world)) {
    count(event.name);
    if (isByOthers(event)) count(`${event.name} by somebody else`);
    if (event.name === 'WithdrawInitiated') withdrawing.add(event.channelId);
    if (event.name === 'WithdrawFinalized') withdrawing.delete(event.channelId);
    if (event.name === 'Claimed' && withdrawing.has(event.channelId))
      count('claimed while its payer withdraws');
  }
  for (const { name } of eventsIn(chain.blocks.removed().filter(hasEvent)))
    if (['Deposited', 'Claimed', 'Refunded'].includes(name)) count(`${name} and removed`);
  for (const call of database.tables.paidCall.where(({ channelId }) => channelId !== null))
    countCall(world, call);
  for (const { refundNumber, refundIsPublic } of database.tables.channel.all())
    if (refundNumber !== null && refundIsPublic) count('refunded because it was not used');
}

function countCall(
  { coverage, database }: World,
  { id, state, settlementId, reorganizations, authorization }: PaidCallRow,
): void {
  const count = (what: string) => coverage.count('channel', what);
  if (paidStates.includes(state))
    count(settlementId === null ? 'charged by a voucher' : 'charged with a deposit');
  if (paidStates.includes(state) && reorganizations > 0) count('charged before its deposit was removed');
  if (state !== 'refused') return;
  count('not charged');
  const freed = authorization.split(':').slice(0, 2).join(':');
  const other = database.tables.paidCall.first((call) => call.id !== id && call.authorization === freed);
  if (other && paidStates.includes(other.state)) count('a voucher that was not charged buys something else');
}
