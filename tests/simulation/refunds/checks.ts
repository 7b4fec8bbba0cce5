import type { RefundRow } from '@/packages/paywall/memory/memory-rows';
import type { Violation } from '../checks';
import type { World } from '../world';
import type { Operators } from './operators';
import { isSame, refundAccount } from './steps';
import type { Outgoing } from './wallet';

/** Holds what is promised about refunds against rows, the chains and what buyers were told, once a history has ended. */
export function findRefundViolations(world: World, operators: Operators): Violation[] {
  const { refund, accountBalance } = world.database.tables;
  const refunds = refund.all();
  const confirmed = refunds.filter(({ state }) => state === 'confirmed');
  const outgoing = operators.treasury.outgoing();
  const balance = accountBalance.get(refundAccount)?.balanceAtomic ?? 0n;
  const posted = refundedInto(world, refundAccount);
  const wholeBooks =
    balance === posted
      ? []
      : [{ promise: `the account holds ${balance}, and ${posted} was refunded into it`, names: [] }];
  return [
    ...refunds.flatMap((row) => ofRefund(row)),
    ...confirmed.filter(({ method }) => method !== 'account').flatMap((row) => ofTransfer(row, outgoing)),
    ...ofTreasury(confirmed, outgoing),
    ...ofCalls(world, confirmed),
    ...wholeBooks,
    ...ofRetries(world, operators),
  ];
}

/** What was refunded into a prepaid account, in atomic USDC. */
export function refundedInto({ database }: World, accountId: string): bigint {
  return sumOf(
    database.tables.refund.where(
      ({ state, method, recipient }) =>
        state === 'confirmed' && method === 'account' && recipient === accountId,
    ),
  );
}

/** What left the treasury of a network for refunds by the books, in atomic USDC. */
export function refundedOn({ database }: World, network: string): bigint {
  return sumOf(database.tables.refund.where((row) => row.state === 'confirmed' && row.network === network));
}

const sumOf = (rows: readonly RefundRow[]) => rows.reduce((sum, { amountAtomic }) => sum + amountAtomic, 0n);

const namesOf = ({ id, paidCallId }: RefundRow) => [id, paidCallId];

/** The operators have finished all that they began. */
function ofRefund(row: RefundRow): Violation[] {
  const isOver = row.state === 'confirmed' || row.state === 'cancelled';
  return isOver ? [] : [{ promise: `the refund is ${row.state} in the end`, names: namesOf(row) }];
}

/** The chain has the transfer that the book says. */
function ofTransfer(row: RefundRow, outgoing: readonly Outgoing[]): Violation[] {
  const { transactionHash, transferIndex, recipient, amountAtomic, blockNumber, blockHash } = row;
  const isIts = ({ hash, to }: Outgoing) => hash === transactionHash && isSame(to, recipient);
  const transfer = outgoing.find((one) => isIts(one) && one.value === amountAtomic);
  if (!transfer)
    return [{ promise: 'the refund is confirmed, and the chain has no transfer', names: namesOf(row) }];
  const isThere =
    transfer.index === transferIndex &&
    transfer.blockNumber === blockNumber &&
    transfer.blockHash === blockHash;
  return isThere ? [] : [{ promise: 'the refund is recorded in another place', names: namesOf(row) }];
}

/** Every transfer of the treasury is one refund. */
function ofTreasury(confirmed: readonly RefundRow[], outgoing: readonly Outgoing[]): Violation[] {
  const booked = confirmed.map((row) => `${row.transactionHash} ${row.transferIndex}`);
  return outgoing.flatMap(({ hash, index, to, value }) => {
    const times = booked.filter((place) => place === `${hash} ${index}`).length;
    if (times === 1) return [];
    return { promise: `a transfer of ${value} to ${to} is ${times} refunds`, names: [hash] };
  });
}

/** A call is refunded once, by a refund that is confirmed, and nothing happens to it afterwards. */
function ofCalls({ database }: World, confirmed: readonly RefundRow[]): Violation[] {
  const { paidCall, paidCallMove, posting } = database.tables;
  return paidCall.all().flatMap(({ id, state }) => {
    const refunds = confirmed.filter(({ paidCallId }) => paidCallId === id).length;
    const postings = posting.where(({ paidCallId, kind }) => paidCallId === id && kind === 'refunded').length;
    const expected = state === 'refunded' ? 1 : 0;
    const lastMove = paidCallMove.where(({ paidCallId }) => paidCallId === id).at(-1)?.toState;
    const promises = [
      ...(refunds === expected ? [] : [`the call is ${state}, and has ${refunds} confirmed refunds`]),
      ...(postings === expected ? [] : [`the call is ${state}, and its refund is posted ${postings} times`]),
      ...(lastMove === state ? [] : [`the call is ${state}, and moved to ${lastMove} last`]),
    ];
    return promises.map((promise) => ({ promise, names: [id] }));
  });
}

/** What was refunded is delivered to nobody any more. */
function ofRetries({ services, database }: World, { retries, askedBefore }: Operators): Violation[] {
  const isRefunded = (id: string) => database.tables.paidCall.get(id)?.state === 'refunded';
  const delivered = retries
    .filter(({ paidCallId, answer }) => isRefunded(paidCallId) && !['refunded', 'open'].includes(answer.kind))
    .map(({ paidCallId, answer }) => ({
      promise: `after its refund it was answered: ${answer.text}`,
      names: [paidCallId],
    }));
  const asked = [...askedBefore].flatMap(([id, before]) => {
    const times = services.asked.get(id) ?? 0;
    if (times === before || !isRefunded(id)) return [];
    return { promise: `a third party was asked ${times - before} times after the refund`, names: [id] };
  });
  return [...delivered, ...asked];
}
