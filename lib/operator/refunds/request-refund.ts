import type { Refund } from '@/lib/ledger/refund-records';
import type { Operator } from '@/lib/operator/actions';
import {
  examineAccount,
  examineCancellation,
  examineTransfer,
  findExisting,
  findForRequest,
  type RefundRequest,
  readerOf,
  readNodes,
} from './examine-refund';
import { checkRefund } from './follow';
import { beginRefund, changeRefund } from './recording';
import type { RefundsApp } from './refundable';

/**
 * Begins a refund that the treasury's wallet will sign: records it as `requested`, before anything is signed. `walletTransfer`
 * returns what the wallet signs.
 * @throws RefundError; nothing is recorded then
 */
export async function requestRefund(
  app: RefundsApp,
  operator: Operator,
  request: RefundRequest,
): Promise<Refund> {
  const { call } = await findForRequest(app, request);
  const reader = readerOf(app, call.network);
  const sinceHeight = await readNodes(() => reader.height());
  const begun = { ...request, method: 'wallet', accountId: null, sinceHeight } as const;
  return beginRefund(app, operator, begun, { kind: 'request' });
}

/**
 * Records a transfer that was made elsewhere as the refund of a call, by its transaction. All nodes are asked. The transfer
 * must be from the treasury to the payer, of exactly the price, not older than the payment, and not part of another refund. A
 * refund whose transfer is not final yet is `sent`, and is confirmed once it is. When a refund from the wallet is open, the
 * transaction is recorded for that one.
 * @throws RefundError; nothing is recorded then
 */
export async function refundByTransfer(
  app: RefundsApp,
  operator: Operator,
  request: RefundRequest & { readonly transactionHash: string },
): Promise<Refund> {
  const { open, sent, place, isFinal } = await examineTransfer(app, request);
  if (open?.transactionHash === sent.transactionHash) return readNodes(() => checkRefund(app, open));
  const named = { kind: 'send', sent, found: { place, isFinal } } as const;
  if (open) {
    await changeRefund(app, operator, open, named, request.note);
    return findExisting(app, open.id);
  }
  const begun = { ...request, method: 'transfer', accountId: null, sinceHeight: null } as const;
  return beginRefund(app, operator, begun, named);
}

/**
 * Refunds a call into a prepaid account: the one that paid for it, or any open one for a payment on a chain. The balance
 * includes the money when this returns.
 * @throws RefundError; nothing is posted then
 */
export async function refundIntoAccount(
  app: RefundsApp,
  operator: Operator,
  request: RefundRequest & { readonly accountId: string },
): Promise<Refund> {
  await examineAccount(app, request);
  const { accountId } = request;
  const begun = { ...request, method: 'account', accountId, sinceHeight: null } as const;
  return beginRefund(app, operator, begun, { kind: 'post' });
}

/**
 * Cancels a refund that was never sent, or takes a failed one off the worklist. The chain is searched first: a refund that is
 * on the chain, or may still get there, is not cancelled.
 * @throws RefundError
 */
export async function cancelRefund(
  app: RefundsApp,
  operator: Operator,
  refundId: string,
  note: string | null,
): Promise<Refund> {
  const refund = await examineCancellation(app, refundId);
  await changeRefund(app, operator, refund, { kind: 'cancel' }, note);
  return findExisting(app, refundId);
}
