import type { Operator } from '@/lib/db/operator-actions';
import {
  type Refund,
  recordRefundCancelled,
  recordRefundConfirmed,
  recordRefundIncluded,
  recordRefundPosted,
  recordRefundSent,
} from '@/lib/ledger/refunds';
import type { OperatorApp } from '@/lib/operator/app';
import type { WalletTransfer } from '@/lib/payments/refund-transfer';
import {
  asking,
  examineAccount,
  examineCancellation,
  examineTransfer,
  findExisting,
  findForRequest,
  type RefundRequest,
  readerOf,
  refuseWhileInBlock,
} from './examine';
import { checkRefund } from './follow';
import { beginRefund, changeRefund, type RefundDb } from './recording';
import { RefundError } from './refund-error';
import { callToRefund, transferBack } from './refundable';

/**
 * Begins a refund that the treasury's wallet will sign: records it as `requested`, before anything is signed.
 * @returns the refund, and what the wallet signs
 * @throws RefundError; nothing is recorded then
 */
export async function requestRefund(
  app: OperatorApp,
  operator: Operator,
  request: RefundRequest,
): Promise<{ refund: Refund; transfer: WalletTransfer }> {
  const { call } = await findForRequest(app, request);
  const reader = readerOf(app, call.network);
  const sinceHeight = await asking(() => reader.height());
  const begun = { ...request, method: 'wallet', accountId: null, sinceHeight } as const;
  const refund = await beginRefund(app, operator, begun, async () => undefined);
  return { refund, transfer: await walletTransfer(app, refund) };
}

/**
 * What the treasury's wallet signs for a refund that is `requested`. On Solana it must be signed within a minute; a later
 * attempt asks again.
 * @throws RefundError refund_over, network_unavailable, network_not_configured
 */
export async function walletTransfer(app: OperatorApp, refund: Refund): Promise<WalletTransfer> {
  if (refund.state !== 'requested') throw new RefundError('refund_over');
  const transfer = transferBack(await callToRefund(app, refund.paidCallId));
  const reader = readerOf(app, refund.network);
  return asking(() => reader.walletTransfer(transfer, refund.id));
}

/**
 * Records the transaction that the wallet says it has sent: the refund is `sent`, and is followed on the chain from here on.
 * A refund that is `sent` gets another transaction only while no block holds the one that it has.
 * @throws RefundError not_a_hash, refund_over, in_a_block, refund_changed and those of reading
 */
export async function recordSent(
  app: OperatorApp,
  operator: Operator,
  refundId: string,
  transactionHash: string,
): Promise<Refund> {
  const refund = await findExisting(app, refundId);
  const reader = readerOf(app, refund.network);
  const hash = reader.parseHash(transactionHash);
  if (hash === null) throw new RefundError('not_a_hash');
  if (refund.state !== 'requested' && refund.state !== 'sent') throw new RefundError('refund_over');
  if (refund.transactionHash === hash) return refund;
  await refuseWhileInBlock(app, reader, refund);
  await changeRefund(app, operator, 'refund.send', refund, null, async (db) => {
    const isSent = await recordRefundSent(db, refund.id, hash, null, app.clock.date());
    if (!isSent) throw new RefundError('refund_changed');
  });
  return findExisting(app, refundId);
}

/**
 * Records a transfer that was made elsewhere as the refund of a call, by its transaction. All nodes are asked: it must be
 * from the treasury to the payer, of exactly the price, not older than the payment, and no other refund. One that is not
 * final yet is `sent`, and confirmed when it is. When a refund from the wallet is open, its transaction is meant.
 * @throws RefundError; nothing is recorded then
 */
export async function refundByTransfer(
  app: OperatorApp,
  operator: Operator,
  request: RefundRequest & { readonly transactionHash: string },
): Promise<Refund> {
  const { open, hash, place, isFinal } = await examineTransfer(app, request);
  if (open?.transactionHash === hash) return asking(() => checkRefund(app, open));
  const send = async (db: RefundDb, id: string) => {
    const now = app.clock.date();
    const sent = { id, transactionHash: hash };
    if (!(await recordRefundSent(db, id, hash, null, now))) throw new RefundError('refund_changed');
    if (isFinal) await recordRefundConfirmed(db, sent, place, now);
    else await recordRefundIncluded(db, sent, place);
  };
  if (open) {
    await changeRefund(app, operator, 'refund.send', open, request.note, (db) => send(db, open.id));
    return findExisting(app, open.id);
  }
  const begun = { ...request, method: 'transfer', accountId: null, sinceHeight: null } as const;
  return beginRefund(app, operator, begun, send);
}

/**
 * Refunds a call into a prepaid account: the one that paid for it, or any open one for a payment on a chain. The money is
 * there when this returns.
 * @throws RefundError; nothing is posted then
 */
export async function refundIntoAccount(
  app: OperatorApp,
  operator: Operator,
  request: RefundRequest & { readonly accountId: string },
): Promise<Refund> {
  await examineAccount(app, request);
  const { accountId } = request;
  const begun = { ...request, method: 'account', accountId, sinceHeight: null } as const;
  return beginRefund(app, operator, begun, (db, id) => recordRefundPosted(db, id, app.clock.date()));
}

/**
 * Cancels a refund of which nothing was sent, or takes a failed one off the worklist. The chain is searched first: a
 * refund that is there, or may still get there, is not cancelled.
 * @throws RefundError
 */
export async function cancelRefund(
  app: OperatorApp,
  operator: Operator,
  refundId: string,
  note: string | null,
): Promise<Refund> {
  const refund = await examineCancellation(app, refundId);
  await changeRefund(app, operator, 'refund.cancel', refund, note, async (db) => {
    if (!(await recordRefundCancelled(db, refund, app.clock.date()))) throw new RefundError('refund_changed');
  });
  return findExisting(app, refundId);
}
