import type { Operation } from '@/lib/catalog/operation';
import { ApiError } from '@/lib/errors/api-error';
import type { HttpApp } from '@/lib/http/app';
import { recordTransferWithoutCall } from '@/lib/ledger/transfers-without-call';
import { mayMeanUsed, type Verification } from '@/lib/payments/payment';
import { orUnknown, type RequestContext, retryAfterSeconds } from './request-context';

/** How many blocks are searched: hours on most networks, far longer than an authorization is valid. */
const searchedBlocks = 9_000n;

/**
 * Checks whether a rejected payment was already used outside of this service, by its payer or someone else. Then the
 * money moved, though not for a call of ours, and a 402 would make the client pay twice. A transfer that is found is
 * recorded for the operator.
 * @param refused the chain's rejection; no paid call has this payment
 * @throws ApiError payment_already_used (409), or service_unavailable (503) when the chain cannot tell
 */
export async function refuseIfUsedBefore(
  app: HttpApp,
  context: RequestContext<Operation>,
  { reason, height }: Extract<Verification, { ok: false }>,
): Promise<void> {
  const { payment } = context.credential;
  const suspicion = mayMeanUsed(reason);
  const settler = app.payments.settlerAt(payment.network);
  if (suspicion === 'no' || !settler) return;
  const sinceHeight = height > searchedBlocks ? height - searchedBlocks : 0n;
  const found = await settler.resolveOutcome(payment, { sinceHeight, transactionHash: null });
  // Canceled, replaced by another authorization, failed, or not used at all: no money moved.
  if (found.kind === 'refused' || (found.kind === 'unknown' && found.isUnused)) return;
  if (found.kind === 'unknown' && suspicion === 'perhaps')
    throw new ApiError('service_unavailable', { retryAfterSeconds });
  if (found.kind === 'settled') {
    const { transactionHash } = found;
    app.log.error(
      { network: payment.network, transaction: transactionHash, payer: payment.payer },
      'a payment was submitted before it came here: there is a transfer without a call',
    );
    await orUnknown(
      context,
      recordTransferWithoutCall(app, payment, transactionHash, context.operation.id, app.clock.date()),
    );
  }
  throw new ApiError('payment_already_used', { paidCallId: undefined });
}
