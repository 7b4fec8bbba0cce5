import { legalRefundMoves, refundReasons } from '@/lib/ledger/refund-states';
import { refundableStates } from '@/lib/ledger/states';
import { isClaimFinal } from './channel-memory-triggers';
import { credit, isOpenAccount } from './memory-balances';
import type { Tables } from './memory-database';
import type { PaidCallRow, RefundRow } from './memory-rows';
import { checkViolation, DatabaseError } from './memory-table';

/** What the triggers and checks of the migrations do to refunds. */

function require(condition: boolean, message: string): asserts condition {
  if (!condition) throw new DatabaseError(checkViolation, message);
}

/** Whether no reorganization can take a payment away any more, as far as the ledger knows. */
export function isPaymentFinal(tables: Tables, call: PaidCallRow): boolean {
  if (call.network === 'account') return true;
  const settlement = tables.settlementTransaction.get(call.settlementId ?? '');
  if (call.channelId !== null) {
    const isUndecided = settlement?.finalAt === null && settlement.state !== 'replaced';
    return !isUndecided && isClaimFinal(tables, call);
  }
  return settlement?.state === 'confirmed' && settlement.finalAt !== null;
}

export function refuseIllegalRefund(tables: Tables, before: RefundRow | null, after: RefundRow): void {
  if (before) refuseIllegalMove(before, after);
  else refuseIllegalBeginning(tables, after);
  const { method, network, state, transactionHash, transferIndex, blockNumber } = after;
  const isPosted = method === 'account';
  require(isPosted === (network === 'account') && !(isPosted && transactionHash !== null), 'it is posted');
  const isNamed = !['sent', 'confirmed'].includes(state) || transactionHash !== null;
  const isPlaced = state !== 'confirmed' || (transferIndex !== null && blockNumber !== null);
  require(isPosted || (isNamed && isPlaced), 'its transfer is named');
}

function refuseIllegalBeginning(tables: Tables, refund: RefundRow): void {
  const { state, method, reason, amountAtomic, asset, network, recipient } = refund;
  const call = tables.paidCall.get(refund.paidCallId);
  require(call !== undefined, 'there is no such call');
  require(refundReasons.includes(reason) && amountAtomic > 0n, 'its reason and amount are possible');
  require(state === 'requested', `a refund may not begin as ${state}`);
  require(refundableStates.includes(call.state), `a call that is ${call.state} cannot be refunded`);
  require(call.creditedAccount === null, 'a deposit that was credited cannot be refunded');
  require(call.state !== 'delivered' ||
    reason !== 'not_delivered', 'a delivered call cannot be refunded as not delivered');
  require(isPaymentFinal(tables, call), 'a payment that is not final cannot be refunded');
  require(amountAtomic === call.amountAtomic &&
    asset === call.asset, 'a refund is of the whole price in the same asset');
  if (method !== 'account')
    require(network === call.network && recipient === call.payer, 'a refund goes to the payer of its call');
  else {
    require(call.network !== 'account' || recipient === call.payer, 'a refund of an account goes back to it');
    require(isOpenAccount(tables, recipient), 'a refund goes into an account that is open');
  }
}

function refuseIllegalMove(before: RefundRow, after: RefundRow): void {
  const { id } = before;
  require(before.state !== 'confirmed' && before.state !== 'cancelled', `refund ${id} is over`);
  if (before.state === after.state) return;
  const isPosted = after.method === 'account';
  require(legalRefundMoves[before.state].includes(after.state) &&
    !(before.state === 'requested' && after.state === 'confirmed' && !isPosted) &&
    !(
      after.state === 'sent' && isPosted
    ), `refund ${id} may not move from ${before.state} to ${after.state}`);
}

/** Records the move of a refund. One that is confirmed ends its call, and enters the account that it goes to. */
export function recordRefundMove(tables: Tables, before: RefundRow | null, after: RefundRow): void {
  const { id: refundId, state: toState, transactionHash, movedAt: at, moveNote: note } = after;
  const isMoved =
    before?.state !== toState ||
    before.transactionHash !== transactionHash ||
    before.reorganizations !== after.reorganizations;
  if (isMoved) {
    const id = tables.refundMove.size + 1;
    const fromState = before?.state ?? null;
    tables.refundMove.insert({ id, refundId, fromState, toState, transactionHash, at, note });
  }
  if (!before || before.state === toState || toState !== 'confirmed') return;
  const call = tables.paidCall.get(after.paidCallId);
  if (!call) return;
  tables.paidCall.update(call, { state: 'refunded', movedAt: at, moveNote: after.reason, workedBy: null });
  if (after.method === 'account') credit(tables, after.recipient, after.amountAtomic);
}
