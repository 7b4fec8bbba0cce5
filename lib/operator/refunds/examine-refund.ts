import { z } from 'zod';
import type { Refund, SentTransaction, TransferLocation } from '@/lib/ledger/refund-records';
import { refundReasons } from '@/lib/ledger/refund-states';
import { onAccount } from '@/lib/payments/payment';
import type { RefundReader } from '@/lib/payments/refund-transfer';
import { findTransaction, freeTransfers } from './find-transfer';
import { RefundError } from './refund-error';
import type { CallToRefund } from './refund-store';
import { callToRefund, findRefundable, type Refundable, type RefundsApp, transferBack } from './refundable';
import { endOf } from './signatures';

/** What the operator decides about a refund, to validate outside input. */
export const refundRequest = z.strictObject({
  paidCallId: z.string().max(64),
  /** `not_delivered` unless given. A call that was delivered needs another reason. */
  reason: z.enum(refundReasons).default('not_delivered'),
  /** Written by the operator; required for the reason `other`. Callers do not see it. */
  note: z.string().trim().min(1).max(500).nullable().default(null),
});
export type RefundRequest = z.output<typeof refundRequest>;

/** What the nodes say about a transfer that is to be recorded as a refund. */
export interface ExaminedTransfer {
  readonly call: CallToRefund;
  /** The open refund that the transaction is recorded for; null when it begins a new one. */
  readonly open: Refund | null;
  readonly sent: SentTransaction;
  readonly place: TransferLocation;
  readonly isFinal: boolean;
}

/** Makes all checks of `refundByTransfer`, and records nothing. @throws RefundError */
export async function examineTransfer(
  app: RefundsApp,
  request: RefundRequest & { readonly transactionHash: string },
): Promise<ExaminedTransfer> {
  const found = await findRefundable(app, request.paidCallId);
  if (!found) throw new RefundError('call_not_found');
  const { open, call } = found;
  if (!open) checkRequest(found, request);
  const reader = readerOf(app, call.network);
  const hash = reader.parseHash(request.transactionHash);
  if (hash === null) throw new RefundError('not_a_hash');
  if (open && open.transactionHash !== hash) await refuseWhileInBlock(app, reader, open);
  const { place, isFinal } = await readTransfer(app, reader, call, hash, open);
  const untilHeight = await readNodes(() => reader.signedUntilHeight());
  return { call, open, sent: { transactionHash: hash, untilHeight }, place, isFinal };
}

/** Makes all checks of `refundIntoAccount`, and posts nothing. @throws RefundError */
export async function examineAccount(
  app: RefundsApp,
  request: RefundRequest & { readonly accountId: string },
): Promise<CallToRefund> {
  const { call } = await findForRequest(app, request);
  const { accountId } = request;
  if (call.network === onAccount && call.payer !== accountId) throw new RefundError('other_account');
  if (!(await app.refunds.isOpenAccount(accountId))) throw new RefundError('account_not_open');
  return call;
}

/** Makes all checks of `cancelRefund`, and cancels nothing. @throws RefundError */
export async function examineCancellation(app: RefundsApp, refundId: string): Promise<Refund> {
  const refund = await findExisting(app, refundId);
  if (refund.state === 'confirmed' || refund.state === 'cancelled') throw new RefundError('refund_over');
  if (refund.state !== 'failed') {
    const reader = readerOf(app, refund.network);
    const transfer = transferBack(await callToRefund(app, refund.paidCallId));
    const end = endOf(refund);
    const since = refund.state === 'sent' ? refund.movedAt : refund.requestedAt;
    // Asked before the blocks are read, so that a transaction that gets into a block in between is found there.
    const maySend = refund.signableUntil !== null && !(await readNodes(() => reader.isPast(end)));
    const mayBePending = await readNodes(() => reader.mayBePending(since, end));
    await refuseWhileInBlock(app, reader, refund);
    const options = { onUnclear: refuseUnclear };
    const found = await readNodes(() => findTransaction(app, reader, refund, transfer, options));
    if (found) throw new RefundError('transfer_found', found);
    if (maySend) throw new RefundError('wallet_may_send');
    if (mayBePending) throw new RefundError('treasury_pending');
  }
  return refund;
}

/** The call of a request, if it may be refunded as requested. */
export async function findForRequest(app: RefundsApp, request: RefundRequest): Promise<Refundable> {
  const found = await findRefundable(app, request.paidCallId);
  if (!found) throw new RefundError('call_not_found');
  checkRequest(found, request);
  return found;
}

function checkRequest({ problem, reasons }: Refundable, { reason, note }: RefundRequest): void {
  if (problem) throw new RefundError(problem);
  if (!reasons.includes(reason)) throw new RefundError('reason_required');
  if (reason === 'other' && note === null) throw new RefundError('note_required');
}

export function readerOf(app: RefundsApp, network: string): RefundReader {
  if (network === onAccount) throw new RefundError('not_on_chain');
  const reader = app.payments.refundReaderAt(network);
  if (!reader) throw new RefundError('network_not_configured');
  return reader;
}

export async function findExisting(app: RefundsApp, refundId: string): Promise<Refund> {
  const refund = await app.refunds.find(refundId);
  if (!refund) throw new RefundError('refund_not_found');
  return refund;
}

/** One node has it and another does not, so it may be the refund. */
function refuseUnclear(hash: string): never {
  throw new RefundError('nodes_disagree', hash);
}

/** Asks nodes. @throws RefundError network_unavailable */
export async function readNodes<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    if (cause instanceof RefundError) throw cause;
    throw new RefundError('network_unavailable', null, { cause });
  }
}

/** @throws RefundError in_a_block, nodes_disagree, network_unavailable */
export async function refuseWhileInBlock(
  app: RefundsApp,
  reader: RefundReader,
  refund: Refund,
): Promise<void> {
  const { transactionHash } = refund;
  if (transactionHash === null) return;
  const transfer = transferBack(await callToRefund(app, refund.paidCallId));
  const reading = await readNodes(() => reader.read(transactionHash, transfer));
  if (reading.kind === 'unclear') throw new RefundError('nodes_disagree', transactionHash);
  if (reading.kind !== 'absent') throw new RefundError('in_a_block', transactionHash);
}

async function readTransfer(
  app: RefundsApp,
  reader: RefundReader,
  call: CallToRefund,
  hash: string,
  open: Refund | null,
): Promise<{ place: TransferLocation; isFinal: boolean }> {
  const reading = await readNodes(() => reader.read(hash, transferBack(call)));
  if (reading.kind === 'absent') throw new RefundError('transaction_not_found', hash);
  if (reading.kind === 'unclear') throw new RefundError('nodes_disagree', hash);
  if (reading.kind === 'mismatch') throw new RefundError(reading.reason, hash);
  const [free] = await freeTransfers(app, call.network, hash, open, reading.transfers);
  if (free === undefined) throw new RefundError('transfer_used', hash);
  return { place: { index: free.index, block: reading.block }, isFinal: reading.isFinal };
}
