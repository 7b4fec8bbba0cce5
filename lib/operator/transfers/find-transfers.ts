import { z } from 'zod';
import { findCallOfPayment } from '@/lib/ledger/paid-call-rows';
import { isBookable } from '@/lib/ledger/transfers-without-call';
import type { Payments } from '@/lib/payments/app-payments';
import type { IncomingPayment } from '@/lib/payments/incoming-payment';
import { configuredOffers, type Offer } from '@/lib/payments/network-offers';
import type { Block } from '@/lib/payments/outcome';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Platform } from '@/lib/platform/platform';
import { TransferError } from './transfer-error';

interface FindDeps extends WithDatabase, Pick<Platform, 'settings'> {
  readonly payments: Payments;
}

/** The transaction that an operator means, to validate outside input. */
export const transferRequest = z.strictObject({
  network: z.string().trim().min(1).max(64),
  transactionHash: z.string().trim().min(1).max(128),
  /** One of its payments; all of them unless given. */
  authorization: z.string().trim().min(1).max(128).toLowerCase().optional(),
});
export type TransferRequest = z.output<typeof transferRequest>;

/** A payment to us on its chain, and its paid call in the ledger. */
export interface KnownPayment extends IncomingPayment {
  /** Null when the ledger does not know it, or knows it as refused for good. */
  readonly paidCallId: string | null;
}

/** The payments to us in a transaction. */
export interface TransactionPayments {
  readonly offer: Offer;
  readonly transactionHash: string;
  readonly block: Block;
  readonly isFinal: boolean;
  readonly payments: readonly KnownPayment[];
}

/**
 * Reads the payments to us in a transaction from all nodes of its network, and looks each of them up in the ledger. Records
 * nothing.
 * @throws TransferError
 */
export async function findPayments(app: FindDeps, request: TransferRequest): Promise<TransactionPayments> {
  const offer = configuredOffers(app.settings).find(({ network }) => network.name === request.network);
  const reader = app.payments.refundReaderAt(request.network);
  if (!offer || !reader) throw new TransferError('network_not_configured');
  const transactionHash = reader.parseHash(request.transactionHash);
  if (transactionHash === null) throw new TransferError('not_a_hash');
  const reading = await reader.readPayments(transactionHash).catch((cause: unknown) => {
    throw new TransferError('network_unavailable', { cause });
  });
  if (reading.kind === 'absent') throw new TransferError('transaction_not_found');
  if (reading.kind === 'unclear') throw new TransferError('nodes_disagree');
  const wanted = reading.payments.filter(
    ({ authorization }) => (request.authorization ?? authorization) === authorization,
  );
  if (wanted.length === 0) throw new TransferError('no_payment');
  const { block, isFinal } = reading;
  const payments = await Promise.all(wanted.map((payment) => lookUp(app, offer, payment)));
  return { offer, transactionHash, block, isFinal, payments };
}

async function lookUp(
  app: WithDatabase,
  { network, asset }: Offer,
  payment: IncomingPayment,
): Promise<KnownPayment> {
  const paidCallId = await findCallOfPayment(app, { ...payment, network: network.name, asset });
  const isUnknown = paidCallId === null || (await isBookable(app, paidCallId));
  return { ...payment, paidCallId: isUnknown ? null : paidCallId };
}

/**
 * The transaction of a transfer on the worklist.
 * @throws TransferError transfer_not_found, transaction_unknown
 */
export async function requestForTransfer(
  { db }: Pick<WithDatabase, 'db'>,
  id: string,
): Promise<TransferRequest> {
  const transfer = await db.transferWithoutCall.findUnique({
    select: { network: true, transactionHash: true, authorization: true },
    where: { id },
  });
  if (!transfer) throw new TransferError('transfer_not_found');
  const { network, transactionHash, authorization } = transfer;
  if (transactionHash === null) throw new TransferError('transaction_unknown');
  return { network, transactionHash, authorization };
}
