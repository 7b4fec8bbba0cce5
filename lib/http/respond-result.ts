import type { CallResult } from '@/lib/calls/call-result';
import { isFailure, type StoredAnswer } from '@/lib/calls/paid-call';
import { codesFor, type PurchaseResult } from '@/lib/calls/purchase';
import { type SignedRequest, withoutSecrets } from '@/lib/calls/replay';
import { ApiError, retryAfterSeconds } from '@/lib/catalog/errors/api-error';
import { errors } from '@/lib/catalog/errors/codes';
import type { Operation } from '@/lib/catalog/operation';
import {
  type AnyRail,
  type ChallengeRequest,
  isPrepaid,
  type RecognizedCredential,
  type Rejection,
} from '@/lib/payments/rail';
import type { Source } from '@/lib/platform/upstream/availability';
import { type ApiResponse, withHeaders } from './api-message';
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

/** What a response needs to know about the request that pays for a call. */
interface PaidRequest {
  readonly rail: AnyRail;
  /** With the price of this request. */
  readonly operation: Operation;
  /** Who makes the operation's responses; null if we make them ourselves. */
  readonly source: Source | null;
  readonly challengeRequest: ChallengeRequest;
  readonly credential: RecognizedCredential;
  readonly signed: Pick<SignedRequest, 'idempotencyKey'>;
  readonly requestId: string;
}

/**
 * The response to a request that pays for a call.
 * @throws ApiError for every result that is neither an answer nor a refusal
 */
export async function respondPurchase(request: PaidRequest, purchased: PurchaseResult): Promise<ApiResponse> {
  if (purchased.kind === 'called') return respondResult(request, purchased);
  const { rail, operation, challengeRequest, credential } = request;
  const { payment } = credential;
  const refused = { reason: purchased.reason, payer: payment.payer, payment };
  return respondPaymentRequired(rail, operation, challengeRequest, refused);
}

/** Data of a sandbox is fictional, so it has a header of its own too. */
function sourceHeaders(source: Source | null): Record<string, string> {
  if (source === null) return {};
  return { Source: source, ...(source === 'sandbox' ? { Sandbox: 'true' } : {}) };
}

async function respondResult(
  request: PaidRequest,
  { call, result, isReplay }: Extract<PurchaseResult, { kind: 'called' }>,
): Promise<ApiResponse> {
  const { rail, operation, challengeRequest, credential, requestId } = request;
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
        ...sourceHeaders(request.source),
        ...result.answer.headers,
      };
      if (!isDelivered) return respondFailure(result.answer, requestId, headers);
      const answer = maySeeSecrets(request, result)
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
        reason: result.reason,
        message: operation.refusals?.[result.reason ?? ''],
      });
    }
    case 'unknown':
      throw new ApiError(codesFor(rail, operation).unknown, { paidCallId, retryAfterSeconds });
    case 'undelivered':
      throw new ApiError(codesFor(rail, operation).deliveryPending, {
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
function maySeeSecrets({ signed }: PaidRequest, result: Extract<CallResult, { kind: 'answered' }>): boolean {
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
