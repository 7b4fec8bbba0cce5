import { type Earlier, type PaidCall } from '@/lib/calls/paid-call';
import { advanceCall, workUnderWay } from '@/lib/calls/advance-call';
import { type CallResult, storedResult, unreadableResult } from '@/lib/calls/call-result';
import { canRestart, refusedResult } from '@/lib/calls/preparation';
import { checkRefusal } from '@/lib/calls/refusal';
import { carriesSignatureOf, isPaymentOf, type Recognition, recognizeReplay } from '@/lib/calls/replay';
import { ApiError } from '@/lib/catalog/errors/api-error';
import type { Operation } from '@/lib/catalog/operation';
import type { HttpApp } from '@/lib/http/http-app';
import { isVoucherPrivate } from '@/lib/ledger/channel-book';
import { findEarlier, findPaidCall } from '@/lib/ledger/paid-call';
import { openStates } from '@/lib/ledger/states';
import { takeOver } from '@/lib/ledger/unfinished-calls';
import { isPayerProven, type WalletAnswer } from '@/lib/payments/payment';
import { inTime } from '@/lib/platform/concurrency/in-time';
import type { ApiResponse } from './api-message';
import { codesFor, orUnknown, type RequestContext, retryAfterSeconds } from './request-context';
import { respondResult } from './respond-result';

/** The factor by which the wait grows between looks at the first call. */
const pollGrowth = 1.5;

/**
 * The earlier call that this request is a retry of; null when the request is new.
 * @throws ApiError payment_already_used (409) when someone else may have sent the request, and the errors of
 *   `recognizeReplay`
 */
export async function findReplay(
  app: HttpApp,
  context: RequestContext<Operation>,
): Promise<Recognition | null> {
  const { payment } = context.credential;
  // If the look-up fails, an identical earlier request may already have charged this payment.
  const earlier = await orUnknown(context, findEarlier(app, payment, context.signed.idempotencyKey));
  const signer = await orUnknown(context, signerOf(app, context, earlier));
  if (signer === 'signed') {
    const asking = earlier.byAuthorization ? orUnknown(context, isVoucherPrivate(app, payment)) : false;
    return recognizeReplay(earlier, context.signed, await asking);
  }
  // Not 402: if it is the wallet's signature after all, its owner must not pay again.
  if (signer === 'not_signed' && earlier.byAuthorization)
    throw new ApiError('payment_already_used', { paidCallId: undefined });
  return null;
}

/**
 * Whether the signature is the payer's, which matters only if there is an earlier call. A key's signature is already
 * proven. A contract wallet's is proven if the earlier call was made with the same one; otherwise the wallet is asked.
 */
async function signerOf(
  app: HttpApp,
  context: RequestContext<Operation>,
  { byAuthorization, byKey }: Earlier,
): Promise<WalletAnswer> {
  const { payment } = context.credential;
  if (isPayerProven(payment) || !(byAuthorization || byKey)) return 'signed';
  if (byAuthorization?.isReadable && carriesSignatureOf(byAuthorization, payment)) return 'signed';
  const settler = app.payments.settlerOf(payment);
  if (!settler?.askWallet) return 'not_signed';
  const answer = await context.deadline.within(settler.askWallet(payment, context.client), null);
  if (answer === null) throw new Error('the wallet could not be asked in time');
  return answer;
}

/**
 * The replay of an identical request that was a moment faster; null when there is none. That request may have charged
 * the payment, which would explain why the chain or the service refuses this one. Checked before a response says that
 * nothing was charged.
 */
export async function replayOfAnother(
  app: HttpApp,
  context: RequestContext<Operation>,
): Promise<ApiResponse | null> {
  const winner = await findReplay(app, context);
  return winner && !canRestart(winner.call) ? replay(app, context, winner) : null;
}

/**
 * Answers a retry: with the stored response, or with the result of a run that it waits for or finishes itself.
 * @returns null when the first call was refused for good and the retry carries another payment, which is a new call
 */
export async function replay<Op extends Operation>(
  app: HttpApp,
  context: RequestContext<Op>,
  { call: first, isProven }: Recognition,
): Promise<ApiResponse | null> {
  if (!isProven) return respondUnproven(app, context, first);
  const { firstCallMs, firstCallPollFirstMs, firstCallPollMaxMs } = app.timings.waitForOther;
  const deadline = app.clock.monotonic() + firstCallMs;
  let call = first;
  for (let waitMs = firstCallPollFirstMs; ; waitMs = Math.min(waitMs * pollGrowth, firstCallPollMaxMs)) {
    const result = await nextResult(app, context, call, deadline);
    if (result) return respondReplay(app, context, call, result);
    if (app.clock.monotonic() >= deadline) {
      throw new ApiError(codesFor(context).inProgress, { paidCallId: call.id, retryAfterSeconds });
    }
    await app.clock.sleep(waitMs);
    call = (await orUnknown(context, findPaidCall(app, call.id), call.id)) ?? call;
  }
}

/** The call's result, advancing the call if no one else does; null while another process works on it. */
async function nextResult<Op extends Operation>(
  app: HttpApp,
  context: RequestContext<Op>,
  call: PaidCall,
  deadline: number,
): Promise<CallResult | null> {
  if (call.answer) return storedResult(call);
  const underWay = workUnderWay(app, call.id);
  if (underWay) {
    const leftMs = deadline - app.clock.monotonic();
    const result = await inTime(
      app.clock,
      underWay.catch(() => null),
      leftMs,
      null,
    );
    return result && asReplay(result);
  }
  if (!call.isReadable) return unreadableResult(call);
  if (!openStates.includes(call.state)) {
    const result = await orUnknown(context, advanceCall(app, call, context, false), call.id);
    // The refused payment turned out to be settled, and recovery took the call over first.
    return call.state === 'refused' && result.kind === 'undelivered' ? null : result;
  }
  const taken = await orUnknown(context, takeOver(app, call, app.instance.id), call.id);
  return taken && orUnknown(context, advanceCall(app, taken, context, false), taken.id);
}

function respondReplay<Op extends Operation>(
  app: HttpApp,
  context: RequestContext<Op>,
  call: PaidCall,
  result: CallResult,
): Promise<ApiResponse> | null {
  if (result.kind === 'refused' && !isPaymentOf(call, context.signed.payment)) {
    // The key belongs to a refused call with another payment. Once that payment can never be used, this one may be
    // charged.
    if (result.isFinal) return null;
    if (call.payment.validBefore.getTime() <= app.clock.now())
      throw new ApiError(codesFor(context).inProgress, { paidCallId: call.id, retryAfterSeconds });
  }
  return respondResult(app, context, call, result, true);
}

/** A request that proves nothing beyond a refused payment learns whether it was used since, but not the answer. */
async function respondUnproven<Op extends Operation>(
  app: HttpApp,
  context: RequestContext<Op>,
  call: PaidCall,
): Promise<ApiResponse> {
  switch (await orUnknown(context, checkRefusal(app, call, context.deadline), call.id)) {
    case 'paid':
      throw new ApiError('payment_already_used', { paidCallId: call.id });
    case 'unknown':
      return respondResult(app, context, call, { kind: 'unknown' }, true);
    default:
      return respondResult(app, context, call, refusedResult(call), true);
  }
}

/** The result of a run that another request started. That request is the first to receive the answer. */
function asReplay(result: CallResult): CallResult {
  return result.kind === 'answered' ? { ...result, isFirst: false } : result;
}
