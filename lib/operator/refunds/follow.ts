import type { DeclaredJob } from '@/lib/jobs/jobs';
import type { Refund } from '@/lib/ledger/refund-records';
import type {
  RefundReader,
  RefundTransfer,
  TransferMismatch,
  TransferReading,
} from '@/lib/payments/refund-transfer';
import { dayMs } from '@/lib/platform/durations';
import { describeError } from '@/lib/platform/log';
import { findTransaction, freeTransfers } from './find-transfer';
import type { RefundStore } from './refund-store';
import { callToRefund, type RefundsApp, transferBack } from './refundable';
import { endOf } from './signatures';

const refundsPerRound = 20;

/** How long the job searches for a refund that has no transaction in a block. Cancelling searches once more. */
const searchedForMs = dayMs;

/** Follows open refunds. */
export function refundsJob(refunds: RefundStore): DeclaredJob {
  return {
    name: 'check-refunds',
    everyMs: ({ checkRefundsMs }) => checkRefundsMs,
    isNeeded: ({ hasRefundsToCheck }) => hasRefundsToCheck,
    run: (app, now) => checkRefunds({ ...app, refunds }, now),
  };
}

/**
 * Checks open refunds on their chains: confirms those that are final, fails those that can no longer arrive, and searches for
 * those whose wallet did not report what it sent.
 */
export async function checkRefunds(app: RefundsApp, now: Date): Promise<void> {
  for (const refund of await app.refunds.takeToCheck(now, refundsPerRound)) {
    await checkRefund(app, refund).catch((error: unknown) => {
      app.log.warn({ refundId: refund.id, error: describeError(error) }, 'a refund could not be checked');
    });
  }
}

/**
 * Checks one open refund on its chain and records the result.
 * @returns the refund as it is then
 * @throws when a node does not answer
 */
export async function checkRefund(app: RefundsApp, refund: Refund): Promise<Refund> {
  const reader = app.payments.refundReaderAt(refund.network);
  if (reader && (refund.state === 'requested' || refund.state === 'sent')) {
    await follow(app, reader, refund, transferBack(await callToRefund(app, refund.paidCallId)));
  }
  return (await app.refunds.find(refund.id)) ?? refund;
}

async function follow(
  app: RefundsApp,
  reader: RefundReader,
  refund: Refund,
  transfer: RefundTransfer,
): Promise<void> {
  const now = app.clock.date();
  const reading = refund.transactionHash ? await reader.read(refund.transactionHash, transfer) : null;
  switch (reading?.kind) {
    case 'found':
      return include(app, reader, refund, transfer, reading);
    case 'mismatch':
      if (reading.isFinal) await replaceOrFail(app, reader, refund, transfer, reading.reason);
      return;
    case 'unclear':
      return;
    default:
      await noteAbsence(app, refund, now);
      if (now.getTime() - refund.requestedAt.getTime() < searchedForMs)
        await search(app, reader, refund, transfer, reading?.isWaiting ?? false);
  }
}

/** Looks for the transaction of a refund and records it. @returns whether there is one */
async function search(
  app: RefundsApp,
  reader: RefundReader,
  refund: Refund,
  transfer: RefundTransfer,
  isWaiting: boolean,
): Promise<boolean> {
  const transactionHash = await findTransaction(app, reader, refund, transfer, { isWaiting });
  if (transactionHash === null) return false;
  const sent = { transactionHash, untilHeight: await reader.signedUntilHeight() };
  await app.refunds.recordFound(refund, sent, app.clock.date());
  return true;
}

/**
 * The refund's transaction is in a block with a matching transfer. A final one confirms the refund, unless that transfer
 * belongs to another refund.
 */
async function include(
  app: RefundsApp,
  reader: RefundReader,
  refund: Refund,
  transfer: RefundTransfer,
  { transfers, block, isFinal }: Extract<TransferReading, { kind: 'found' }>,
): Promise<void> {
  const now = app.clock.date();
  const isMoved =
    refund.blockNumber !== null && (refund.blockNumber !== block.number || refund.blockHash !== block.hash);
  if (isMoved) await noteAbsence(app, refund, now);
  const { network, transactionHash } = refund;
  const [free] = await freeTransfers(app, network, transactionHash ?? '', refund, transfers);
  if (free === undefined) {
    if (isFinal) await replaceOrFail(app, reader, refund, transfer, 'transfer_used');
  } else if (isFinal) {
    await app.refunds.recordConfirmed(refund, { index: free.index, block }, now);
    app.log.info({ refundId: refund.id, paidCallId: refund.paidCallId }, 'a refund is confirmed');
  } else {
    await app.refunds.recordIncluded(refund, { index: free.index, block });
  }
}

/**
 * The refund's transaction is final without its transfer. Another transaction may have carried it out, because anybody may send
 * what the wallet has signed. The refund fails only when no other transaction has, and none can any longer.
 */
async function replaceOrFail(
  app: RefundsApp,
  reader: RefundReader,
  refund: Refund,
  transfer: RefundTransfer,
  reason: TransferMismatch | 'transfer_used',
): Promise<void> {
  const now = app.clock.date();
  await noteAbsence(app, refund, now);
  // Asked before the search, so that a transaction that gets into a block in between is found by it.
  const isOver = await reader.isPast(endOf(refund));
  if ((await search(app, reader, refund, transfer, false)) || !isOver) return;
  if (await app.refunds.recordFailed(refund, reason, now))
    app.log.error({ refundId: refund.id, reason }, 'a refund failed');
}

/** Records that the refund's transfer is no longer in the block where it was. */
async function noteAbsence(app: RefundsApp, refund: Refund, now: Date): Promise<void> {
  if (refund.blockNumber === null || !(await app.refunds.recordReorganized(refund, now))) return;
  const { id: refundId, network, transactionHash } = refund;
  app.log.error({ refundId, network, transaction: transactionHash }, 'a reorganization removed a refund');
}
