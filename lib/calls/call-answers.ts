import { type ApiError, isApiError } from '@/lib/catalog/errors/api-error';
import { keptFailures } from '@/lib/catalog/errors/codes';
import { errorBody } from '@/lib/catalog/errors/error-body';
import { namedPath, type Operation, pathWith } from '@/lib/catalog/operation';
import { digestOfAnswer, type Receipt } from '@/lib/payments/receipts/receipt';
import type { ReceiptIssuer } from '@/lib/payments/receipts/receipt-issuer';
import type { Clock } from '@/lib/platform/clock';
import { describeError, type Logger } from '@/lib/platform/log';
import { isFailure, type PaidCall, type StoredAnswer } from './paid-call';

/** Whether a service reported that a paid call failed for good and its payment is kept. */
export function isKeptFailure(error: unknown): error is ApiError {
  return isApiError(error) && keptFailures.includes(error.code);
}

interface AnswersDeps {
  readonly receipts: Pick<ReceiptIssuer, 'issueReceipt'>;
  /** The CAIP-2 name of a network; null for one that has none. */
  readonly caip2Of: (network: PaidCall['payment']['network']) => string | null;
  readonly publicUrl: string;
  readonly clock: Pick<Clock, 'now'>;
  readonly log: Pick<Logger, 'error'>;
}

/** Writes the answers that are stored with calls. */
export class CallAnswers {
  readonly #deps: AnswersDeps;

  constructor(deps: AnswersDeps) {
    this.#deps = deps;
  }

  /** A kept failure as stored with its call: the error body without a request id. */
  failure(error: ApiError): StoredAnswer {
    const { requestId: _, ...kept } = errorBody(error, '', this.#deps.publicUrl).error;
    return { status: error.status, body: JSON.stringify({ error: kept }) };
  }

  /**
   * The first answer of a call, with its signed receipt. Every later answer repeats both. A receipt that cannot be signed does
   * not hold up a call that is paid.
   */
  async withReceipt(call: PaidCall, operation: Operation, answer: StoredAnswer): Promise<StoredAnswer> {
    const { receipts, log } = this.#deps;
    const issuing = receipts.issueReceipt(this.#receiptOf(call, operation, answer));
    const receipt = await issuing.catch((error: unknown) => {
      log.error({ paidCallId: call.id, error: describeError(error) }, 'a receipt was not signed');
      return null;
    });
    return receipt === null ? answer : { ...answer, receipt };
  }

  #receiptOf(call: PaidCall, operation: Operation, answer: StoredAnswer): Receipt {
    const { caip2Of, publicUrl, clock } = this.#deps;
    const { payment, requestDigest } = call;
    return {
      version: 1,
      network: caip2Of(payment.network) ?? payment.network,
      resourceUrl: publicUrl + resourcePath(call, operation),
      payer: payment.payer,
      issuedAt: Math.floor(clock.now() / 1000),
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
}

/** The path that the challenge named. */
function resourcePath({ rail, input }: PaidCall, { paths }: Operation): string {
  const template = paths[rail] ?? paths.x402;
  // Its schemas parsed the input before it was stored.
  return namedPath(pathWith(template, input as Record<string, unknown>), template);
}
