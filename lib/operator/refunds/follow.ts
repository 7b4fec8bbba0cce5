import {
  findRefund,
  type Refund,
  recordRefundConfirmed,
  recordRefundFailed,
  recordRefundIncluded,
  recordRefundReorganized,
  recordRefundSent,
  takeRefundsToCheck,
  usedTransfers,
} from '@/lib/ledger/refunds';
import type { OperatorApp } from '@/lib/operator/app';
import type { RefundReader, RefundTransfer, TransferReading } from '@/lib/payments/refund-transfer';
import { describeError } from '@/lib/platform/log';
import { callToRefund, transferBack } from './refundable';

const refundsPerRound = 20;

/** How long a refund without a transaction in a block is searched for by itself. Cancelling searches once more. */
const searchedForMs = 24 * 3_600_000;

/**
 * Asks the chains about open refunds: those that are final are confirmed, those that cannot come any more fail, and those
 * whose wallet did not say what it sent are looked for.
 */
export async function checkRefunds(app: OperatorApp, now: Date): Promise<void> {
  for (const refund of await takeRefundsToCheck(app, now, refundsPerRound)) {
    await checkRefund(app, refund).catch((error: unknown) => {
      app.log.warn({ refundId: refund.id, error: describeError(error) }, 'a refund could not be checked');
    });
  }
}

/**
 * Asks the chain about one open refund and records what it says.
 * @returns the refund as it is then
 * @throws when a node does not answer
 */
export async function checkRefund(app: OperatorApp, refund: Refund): Promise<Refund> {
  const reader = app.payments.refundReaderAt(refund.network);
  if (reader && (refund.state === 'requested' || refund.state === 'sent')) {
    await follow(app, reader, refund, transferBack(await callToRefund(app, refund.paidCallId)));
  }
  return (await findRefund(app, refund.id)) ?? refund;
}

async function follow(
  app: OperatorApp,
  reader: RefundReader,
  refund: Refund,
  transfer: RefundTransfer,
): Promise<void> {
  const now = app.clock.date();
  const reading = refund.transactionHash ? await reader.read(refund.transactionHash, transfer) : null;
  switch (reading?.kind) {
    case 'found':
      return include(app, refund, reading);
    case 'mismatch':
      return fail(app, reader, refund, transfer, reading);
    case 'unclear':
      return;
    default:
      await noteAbsence(app, refund, now);
      if (now.getTime() - refund.requestedAt.getTime() < searchedForMs) {
        const found = await findTransaction(app, reader, refund, transfer);
        if (found) await recordRefundSent(app.db, refund, found, 'found_on_chain', now);
      }
  }
}

/** Its transfer is in a block: a final one confirms the refund. */
async function include(
  app: OperatorApp,
  refund: Refund,
  { indexes, block, isFinal }: Extract<TransferReading, { kind: 'found' }>,
): Promise<void> {
  const now = app.clock.date();
  const isMoved =
    refund.blockNumber !== null && (refund.blockNumber !== block.number || refund.blockHash !== block.hash);
  if (isMoved) await noteAbsence(app, refund, now);
  const used = await usedTransfers(app, refund.network, refund.transactionHash ?? '', refund.id);
  const index = indexes.find((candidate) => !used.has(candidate));
  if (index === undefined) {
    if (isFinal) await recordRefundFailed(app.db, refund, 'transfer_used', now);
  } else if (isFinal) {
    await recordRefundConfirmed(app.db, refund, { index, block }, now);
    app.log.info({ refundId: refund.id, paidCallId: refund.paidCallId }, 'a refund is confirmed');
  } else {
    await recordRefundIncluded(app.db, refund, { index, block });
  }
}

/**
 * Its transaction does not have the transfer. A final one fails, unless another transaction carried out the same: anybody
 * may send what the wallet has signed.
 */
async function fail(
  app: OperatorApp,
  reader: RefundReader,
  refund: Refund,
  transfer: RefundTransfer,
  { reason, isFinal }: Extract<TransferReading, { kind: 'mismatch' }>,
): Promise<void> {
  if (!isFinal) return;
  const now = app.clock.date();
  const found = await findTransaction(app, reader, refund, transfer);
  if (found) await recordRefundSent(app.db, refund, found, 'found_on_chain', now);
  else if (await recordRefundFailed(app.db, refund, reason, now))
    app.log.error({ refundId: refund.id, reason }, 'a refund failed');
}

/** Its transfer is no longer in the block where it was. */
async function noteAbsence(app: OperatorApp, refund: Refund, now: Date): Promise<void> {
  if (refund.blockNumber === null || !(await recordRefundReorganized(app.db, refund, now))) return;
  const { id: refundId, network, transactionHash } = refund;
  app.log.error({ refundId, network, transaction: transactionHash }, 'a refund was taken away by its chain');
}

/**
 * Looks for the transfer of a refund from the wallet among the treasury's: the wallet may have sent it without saying so, or
 * replaced it with one of a higher fee.
 * @param onUnclear gets a transaction about which the nodes do not agree
 * @returns the hash of a transaction with a transfer that is no other refund; null when there is none
 */
export async function findTransaction(
  app: OperatorApp,
  reader: RefundReader,
  refund: Refund,
  transfer: RefundTransfer,
  onUnclear: (hash: string) => void = () => undefined,
): Promise<string | null> {
  const { id, network, method, sinceHeight, transactionHash } = refund;
  if (method !== 'wallet' || sinceHeight === null) return null;
  for (const hash of await reader.search(transfer, id, sinceHeight)) {
    if (hash === transactionHash) continue;
    const reading = await reader.read(hash, transfer);
    if (reading.kind === 'unclear') onUnclear(hash);
    if (reading.kind !== 'found') continue;
    const used = await usedTransfers(app, network, hash, id);
    if (reading.indexes.some((index) => !used.has(index))) return hash;
  }
  return null;
}
