import { type PaidCall, isFailure, type StoredAnswer } from '@/lib/calls/paid-call';
import type { CallResult } from '@/lib/calls/call-result';
import { withoutSecrets } from '@/lib/calls/replay';
import { ApiError } from '@/lib/catalog/errors/api-error';
import { errors } from '@/lib/catalog/errors/codes';
import type { Operation } from '@/lib/catalog/operation';
import type { HttpApp } from '@/lib/http/http-app';
import { type ChallengeRequest, isPrepaid, type Rejection } from '@/lib/payments/rail';
import { isSandbox } from '@/lib/platform/upstream/availability';
import { type ApiResponse, withHeaders } from './api-message';
import { type AnyRail, codesFor, type RequestContext, retryAfterSeconds } from './request-context';
import { respondText } from './respond';

/** Why a payment was rejected, and its payer if known. */
interface Refusal extends Rejection {
  readonly payer?: string;
}

/**
 * The rail's 402.
 * @throws ApiError insufficient_balance (402) on the account rail, which has no challenge to sign
 */
export async function respondPaymentRequired(
  rail: AnyRail,
  operation: Operation,
  challengeRequest: ChallengeRequest,
  refused: Refusal | null,
  paidCallId?: string,
): Promise<ApiResponse> {
  if (isPrepaid(rail)) {
    const account = await rail.shortfall(operation, refused?.payer ?? '');
    throw new ApiError('insufficient_balance', { reason: refused?.reason, account, paidCallId });
  }
  return rail.challenge(operation, challengeRequest, refused);
}

/**
 * The response to the result of a paid call.
 * @throws ApiError for every result that is neither an answer nor a refusal
 */
export async function respondResult(
  app: HttpApp,
  context: RequestContext<Operation>,
  call: PaidCall,
  result: CallResult,
  isReplay: boolean,
): Promise<ApiResponse> {
  const { rail, operation, challengeRequest, credential, requestId } = context;
  const paidCallId = call.id;
  switch (result.kind) {
    case 'answered': {
      const { transactionHash } = result;
      const isDelivered = !isFailure(result.answer);
      const { receipt: signed = null } = result.answer;
      const paid = { payment: call.payment, transactionHash, settledAt: call.movedAt, isDelivered, signed };
      const headers = {
        ...(await rail.receipt(credential, paid)),
        'Paid-Call-Id': paidCallId,
        ...(isReplay ? { 'Idempotent-Replayed': 'true' } : {}),
        ...(isSandbox(app, operation) ? { Sandbox: 'true' } : {}),
        ...result.answer.headers,
      };
      if (!isDelivered) return respondFailure(result.answer, requestId, headers);
      const answer = maySeeSecrets(context, result)
        ? result.answer
        : withoutSecrets(result.answer, operation);
      return respondText(answer, headers);
    }
    case 'refused': {
      const refused = { reason: result.reason, payer: call.payment.payer, payment: credential.payment };
      const response = await respondPaymentRequired(rail, operation, challengeRequest, refused, paidCallId);
      return withHeaders(response, { 'Paid-Call-Id': paidCallId });
    }
    case 'unprepared': {
      const isLater = errors[result.code].status >= 500 || errors[result.code].retry === 'later';
      throw new ApiError(result.code, {
        paidCallId,
        retryAfterSeconds: result.retryAfterSeconds ?? (isLater ? retryAfterSeconds : undefined),
      });
    }
    case 'unknown':
      throw new ApiError(codesFor(context).unknown, { paidCallId, retryAfterSeconds });
    case 'undelivered':
      throw new ApiError(codesFor(context).deliveryPending, {
        paidCallId,
        retryAfterSeconds,
        reason: result.reason,
      });
    case 'expired':
      throw new ApiError('response_expired', { paidCallId });
    case 'refunded':
      throw new ApiError('call_refunded', { paidCallId, reason: result.reason });
    case 'needs_attention':
      throw new ApiError('delivery_needs_attention', { paidCallId, reason: result.reason });
  }
}

/**
 * Whether a response may contain the fields that the catalog marks secret. The request that produced the answer gets
 * them, and later only retries with the caller's own idempotency key, which has been compared before.
 */
function maySeeSecrets(
  { signed }: RequestContext<Operation>,
  result: Extract<CallResult, { kind: 'answered' }>,
): boolean {
  return signed.idempotencyKey !== null || result.isFirst;
}

/** Answers with a stored failure: the same for every request, except the request id. */
function respondFailure(
  { status, body }: StoredAnswer,
  requestId: string,
  headers: Record<string, string>,
): ApiResponse {
  const { error } = JSON.parse(body) as { error: object };
  return respondText({ status, body: JSON.stringify({ error: { ...error, requestId } }) }, headers);
}
