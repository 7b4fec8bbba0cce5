import type { ChannelEventRow, ChannelRow } from './channel-memory-rows';
import type { Tables } from './memory-database';
import type { PaidCallRow } from './memory-rows';
import { checkViolation, DatabaseError } from './memory-table';

/** What the triggers and checks of the migrations do to payment channels. */

export function refuseIllegalChannel(before: ChannelRow | null, after: ChannelRow): void {
  const { id, balanceAtomic, withdrawingAtomic, claimedAtomic, openedAtomic, chargedAtomic } = after;
  const { refundAtomic, writtenOffAtomic } = after;
  const amounts = [
    balanceAtomic,
    withdrawingAtomic,
    claimedAtomic,
    openedAtomic,
    refundAtomic,
    writtenOffAtomic,
  ];
  if (amounts.some((amount) => amount < 0n) || chargedAtomic < openedAtomic)
    throw new DatabaseError(checkViolation, `an amount of channel ${id} is not possible`);
  if (!before) return;
  if (chargedAtomic < before.chargedAtomic || openedAtomic !== before.openedAtomic)
    throw new DatabaseError(checkViolation, `channel ${id} may not be charged less than before`);
  const isPromised = before.refundNumber !== null && before.refundNumber >= after.refundNonce;
  const isOther = refundAtomic !== before.refundAtomic || after.refundNumber !== before.refundNumber;
  if (isPromised && isOther)
    throw new DatabaseError(checkViolation, `the open refund of channel ${id} may not be changed`);
}

/** A voucher that has not paid for a call may buy something else. */
export function freeVoucher(before: PaidCallRow, after: PaidCallRow): PaidCallRow {
  const isFreed = after.channelId !== null && before.refusalFinalAt === null && after.refusalFinalAt !== null;
  return isFreed ? { ...after, authorization: `${before.authorization}:${before.id}` } : after;
}

/** What an event of the contract did to our money. It does not matter who sent the transaction. */
export function postChannelEvent(
  { posting }: Tables,
  { name, network, amountAtomic, at }: ChannelEventRow,
): void {
  if (amountAtomic <= 0n || (name !== 'Claimed' && name !== 'Settled')) return;
  const [unclaimed, claimed, treasury] = ['unclaimed', 'claimed', 'treasury'].map(
    (account) => `chain:${network}:${account}`,
  ) as [string, string, string];
  const isClaim = name === 'Claimed';
  posting.insert({
    ...{
      id: posting.nextNumber,
      paidCallId: null,
      settlementId: null,
      round: 0,
      unit: 'usdc',
      amountAtomic,
      at,
    },
    kind: isClaim ? 'claimed' : 'swept',
    debitAccount: isClaim ? claimed : treasury,
    creditAccount: isClaim ? unclaimed : claimed,
  });
}

/** Whether the price of a call that a channel paid for is claimed for good. */
export function isClaimFinal({ channel, channelEvent }: Tables, call: PaidCallRow): boolean {
  const row = channel.get(call.channelId ?? '');
  if (!row) return false;
  const known = channelEvent
    .where(({ channelId, name }) => channelId === row.id && name === 'Claimed')
    .reduce((sum, { amountAtomic }) => sum + amountAtomic, row.openedAtomic);
  const total = totalOf(call);
  return total <= row.claimedAtomic && total <= known;
}

/** The running total of the voucher that pays for a call. */
export function totalOf({ authorization }: PaidCallRow): bigint {
  return BigInt(authorization.split(':')[1] ?? 0);
}
