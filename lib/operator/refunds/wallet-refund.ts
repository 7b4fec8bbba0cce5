import type { Refund, SentTransaction } from '@/lib/ledger/refund-records';
import type { Operator } from '@/lib/operator/actions';
import type {
  AcceptedTransfer,
  RefundReader,
  SignedTransfer,
  WalletTransfer,
} from '@/lib/payments/refund-transfer';
import { describeError } from '@/lib/platform/log';
import { findExisting, readerOf, readNodes, refuseWhileInBlock } from './examine-refund';
import { changeRefund } from './recording';
import { RefundError } from './refund-error';
import { callToRefund, type RefundsApp, transferBack } from './refundable';

/**
 * Refunds that the treasury's wallet signs in a browser. However often it signs, only one transfer of a refund is carried out.
 */

/**
 * Returns what the treasury's wallet signs for an open refund. The request to the wallet is recorded first, so that the refund
 * is not canceled while the wallet may still send it. On Solana the wallet must sign within a minute; a later attempt asks
 * again.
 * @throws RefundError refund_over, sent_before, in_a_block, network_unavailable, network_not_configured
 */
export async function walletTransfer(
  app: RefundsApp,
  operator: Operator,
  refundId: string,
): Promise<WalletTransfer> {
  const { refund, reader } = await findSignable(app, refundId);
  const until = new Date(app.clock.now() + app.timings.refunds.signWithinMs);
  const transfer = transferBack(await callToRefund(app, refund.paidCallId));
  const toSign = await readNodes(() => reader.walletTransfer(transfer, refundId, until));
  // Read after the blockhash, so that the blockhash is not of a later block.
  const untilHeight = await readNodes(() => reader.signedUntilHeight());
  const end = { until: toSign.family === 'evm' ? until : null, untilHeight };
  await changeRefund(app, operator, refund, { kind: 'sign', end });
  return toSign;
}

/** What to do with a signed transfer. */
export type SignedRefund =
  /** The wallet sends this transaction, and `recordSent` gets its hash. */
  | Extract<AcceptedTransfer, { family: 'evm' }>
  /** The transfer was sent. */
  | { readonly family: 'solana'; readonly transactionHash: string };

/**
 * Takes what the wallet has signed. On Solana the refund is recorded as `sent` and then sent. On EVM networks the wallet is
 * given the transaction that carries out what it has signed.
 * @throws RefundError not_signed_by_treasury, wallet_changed_transfer, would_fail, refund_changed and those of
 * `walletTransfer`
 */
export async function takeSigned(
  app: RefundsApp,
  operator: Operator,
  refundId: string,
  signed: SignedTransfer,
): Promise<SignedRefund> {
  const { refund, reader } = await findSignable(app, refundId);
  const isLate =
    signed.family === 'evm' && signed.validBefore * 1_000 > (refund.signableUntil?.getTime() ?? 0);
  if (isLate) throw new RefundError('wallet_changed_transfer');
  const transfer = transferBack(await callToRefund(app, refund.paidCallId));
  const accepted = await readNodes(() => reader.acceptSigned(transfer, refundId, signed));
  if (typeof accepted === 'string') {
    // A transfer that was sent meanwhile would fail if it was sent again.
    const { transactionHash } = await findExisting(app, refundId);
    throw new RefundError(transactionHash === refund.transactionHash ? accepted : 'refund_changed');
  }
  if (accepted.family === 'evm') return accepted;
  const { transactionHash, untilHeight } = accepted;
  const sent: SentTransaction = { transactionHash, untilHeight };
  await changeRefund(app, operator, refund, { kind: 'send', sent, found: null });
  await accepted.send().catch((error: unknown) => {
    // It may have been sent anyway. The refund is followed by its hash, and signed again if no block has it.
    app.log.warn({ refundId, error: describeError(error) }, 'a refund may not have been sent');
  });
  return { family: 'solana', transactionHash };
}

/**
 * Records the transaction that the wallet says it has sent: the refund is `sent`, and is followed on the chain from here on. A
 * refund that is `sent` gets another transaction only while its current one is in no block.
 * @throws RefundError not_a_hash, refund_over, in_a_block, refund_changed and those of reading the transaction
 */
export async function recordSent(
  app: RefundsApp,
  operator: Operator,
  refundId: string,
  transactionHash: string,
): Promise<Refund> {
  const refund = await findExisting(app, refundId);
  const reader = readerOf(app, refund.network);
  const hash = reader.parseHash(transactionHash);
  if (hash === null) throw new RefundError('not_a_hash');
  if (refund.transactionHash === hash) return refund;
  if (refund.state !== 'requested' && refund.state !== 'sent') throw new RefundError('refund_over');
  await refuseWhileInBlock(app, reader, refund);
  try {
    const untilHeight = await readNodes(() => reader.signedUntilHeight());
    const sent: SentTransaction = { transactionHash: hash, untilHeight };
    await changeRefund(app, operator, refund, { kind: 'send', sent, found: null });
  } catch (error) {
    // The job may have found it on the chain meanwhile.
    const found = await findExisting(app, refundId);
    if (found.transactionHash !== hash) throw error;
  }
  return findExisting(app, refundId);
}

/** An open refund from the wallet that is not carried out yet. */
async function findSignable(
  app: RefundsApp,
  refundId: string,
): Promise<{ readonly refund: Refund; readonly reader: RefundReader }> {
  const refund = await findExisting(app, refundId);
  const reader = readerOf(app, refund.network);
  if (refund.method !== 'wallet' || (refund.state !== 'requested' && refund.state !== 'sent'))
    throw new RefundError('refund_over');
  if (refund.state === 'sent') {
    const end = { until: refund.signableUntil, untilHeight: refund.sentUntilHeight };
    // Asked before its block is read, so that a transaction that gets into a block in between is found there.
    const canSign = await readNodes(() => reader.canSignAgain(refund.movedAt, end));
    await refuseWhileInBlock(app, reader, refund);
    if (!canSign) throw new RefundError('sent_before');
  }
  return { refund, reader };
}
