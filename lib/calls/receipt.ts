import { namedPath, type Operation, pathWith } from '@/lib/catalog/operation';
import { digestOfAnswer, type Receipt } from '@/lib/payments/receipts/receipt';
import { describeError } from '@/lib/platform/log';
import type { CallsApp } from './calls-app';
import { isFailure, type PaidCall, type StoredAnswer } from './paid-call';

/**
 * The first answer of a call, with its signed receipt. Every later answer repeats both. A receipt that cannot be signed does
 * not hold up a call that is paid.
 */
export async function withReceipt(
  app: CallsApp,
  call: PaidCall,
  operation: Operation,
  answer: StoredAnswer,
): Promise<StoredAnswer> {
  const issuing = app.receipts.issueReceipt(receiptOf(app, call, operation, answer));
  const receipt = await issuing.catch((error: unknown) => {
    app.log.error({ paidCallId: call.id, error: describeError(error) }, 'a receipt was not signed');
    return null;
  });
  return receipt === null ? answer : { ...answer, receipt };
}

function receiptOf(app: CallsApp, call: PaidCall, operation: Operation, answer: StoredAnswer): Receipt {
  const { payment, requestDigest } = call;
  const network = app.payments.networks.byName(payment.network)?.network.caip2 ?? payment.network;
  return {
    version: 1,
    network,
    resourceUrl: app.settings.PUBLIC_URL + resourcePath(call, operation),
    payer: payment.payer,
    issuedAt: Math.floor(app.clock.now() / 1000),
    transaction: call.transactionHash ?? '',
    operation: call.operation,
    paidCallId: call.id,
    amount: payment.amountAtomic.toString(),
    asset: payment.asset,
    payTo: payment.payTo,
    ...(requestDigest ? { requestDigest: requestDigest.toString('hex') } : {}),
    answerStatus: answer.status,
    ...(isFailure(answer) ? {} : { answerDigest: digestOfAnswer(answer.body).toString('hex') }),
  };
}

/** The path that the challenge named. */
function resourcePath({ rail, input }: PaidCall, { paths }: Operation): string {
  const template = paths[rail] ?? paths.x402;
  // Its schemas parsed the input before it was stored.
  return namedPath(pathWith(template, input as Record<string, unknown>), template);
}
