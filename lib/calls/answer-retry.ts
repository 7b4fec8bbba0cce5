import { ApiError, retryAfterSeconds } from '@/lib/catalog/errors/api-error';
import { openStates } from '@/lib/ledger/states';
import { isPayerProven } from '@/lib/payments/payment';
import type { WalletAnswer } from '@/lib/payments/settlers';
import { backoffMs } from '@/lib/platform/backoff';
import { inTime } from '@/lib/platform/concurrency/in-time';
import type { BuyDeps } from './call-deps';
import { type CallResult, storedResult, unreadableResult } from './call-result';
import type { Earlier, PaidCall } from './paid-call';
import { canRestart, refusedResult } from './preparation';
import { codesFor, orUnknown, type Purchase, type PurchaseResult } from './purchase';
import { checkRefusal, unlessReopened } from './refusal';
import { carriesSignatureOf, isPaymentOf, type Recognition, recognizeReplay } from './replay';

/** The factor by which the wait grows between looks at the first call. */
const growth = 1.5;

/**
 * The earlier call that this request is a retry of; null when the request is new.
 * @throws ApiError payment_already_used (409) when someone else may have sent the request, and the errors of
 *   `recognizeReplay`
 */
export async function findReplay(deps: BuyDeps, purchase: Purchase): Promise<Recognition | null> {
  const { calls } = deps;
  const { payment, idempotencyKey } = purchase.signed;
  // If the look-up fails, an identical earlier request may already have charged this payment.
  const earlier = await orUnknown(purchase, calls.findEarlier(payment, idempotencyKey));
  const signer = await orUnknown(purchase, signerOf(deps, purchase, earlier));
  if (signer === 'signed') {
    const isPrivate = earlier.byAuthorization ? orUnknown(purchase, calls.isPrivate(payment)) : false;
    return recognizeReplay(earlier, purchase.signed, await isPrivate);
  }
  // Not 402: if it is the wallet's signature after all, its owner must not pay again.
  if (signer === 'not_signed' && earlier.byAuthorization)
    throw new ApiError('payment_already_used', { paidCallId: undefined });
  return null;
}

/**
 * Whether the signature is the payer's, which matters only if there is an earlier call. A key's signature is already
 * proven. A wallet's is proven if the earlier call was made with the same one; otherwise its code is asked.
 */
async function signerOf(
  { payments }: BuyDeps,
  { signed: { payment }, client, deadline }: Purchase,
  { byAuthorization, byKey }: Earlier,
): Promise<WalletAnswer> {
  if (isPayerProven(payment) || !(byAuthorization || byKey)) return 'signed';
  if (byAuthorization?.isReadable && carriesSignatureOf(byAuthorization, payment)) return 'signed';
  const settler = payments.settlerOf(payment);
  // Elsewhere there are no such wallets.
  if (settler?.kind !== 'evm' && settler?.kind !== 'evm_remote' && settler?.kind !== 'solana')
    return 'not_signed';
  const answer = await deadline.within(settler.askWallet(payment, client), null);
  if (answer === null) throw new Error('the wallet could not be asked in time');
  return answer;
}

/**
 * The answer to an identical request that was a moment faster; null when there is none. That request may have charged
 * the payment, which would explain why the chain or the service refuses this one. Checked before anything says that
 * nothing was charged.
 */
export async function answerWinner(deps: BuyDeps, purchase: Purchase): Promise<PurchaseResult | null> {
  const winner = await findReplay(deps, purchase);
  return winner && !canRestart(winner.call) ? answerRetry(deps, purchase, winner) : null;
}

/**
 * Answers a retry: with the stored response, or with the result of a run that it waits for or finishes itself.
 * @returns null when the first call was refused for good and the retry carries another payment, which is a new call
 */
export async function answerRetry(
  deps: BuyDeps,
  purchase: Purchase,
  { call: first, isProven }: Recognition,
): Promise<PurchaseResult | null> {
  if (!isProven) return answerUnproven(deps, purchase, first);
  const { calls, clock, timings } = deps;
  const { firstCallMs, firstCallPollFirstMs, firstCallPollMaxMs } = timings.waitForOther;
  const deadline = clock.monotonic() + firstCallMs;
  let call = first;
  const waits = { firstMs: firstCallPollFirstMs, maxMs: firstCallPollMaxMs, growth };
  for (let attempt = 0; ; attempt += 1) {
    const result = await nextResult(deps, purchase, call, deadline);
    if (result) return asReplay(deps, purchase, call, result);
    if (clock.monotonic() >= deadline) throw inProgress(purchase, call);
    await clock.sleep(backoffMs(waits, attempt));
    call = (await orUnknown(purchase, calls.find(call.id), call.id)) ?? call;
  }
}

/** The call's result, advancing the call if no one else does; null while another process works on it. */
async function nextResult(
  { calls, runs, clock }: BuyDeps,
  purchase: Purchase,
  call: PaidCall,
  deadline: number,
): Promise<CallResult | null> {
  const { service } = purchase;
  if (call.answer) return storedResult(call);
  const underWay = runs.of(call.id);
  if (underWay) {
    const leftMs = deadline - clock.monotonic();
    const result = await inTime(
      clock,
      underWay.catch(() => null),
      leftMs,
      null,
    );
    // The request that started the run is the first to receive the answer.
    return result?.kind === 'answered' ? { ...result, isFirst: false } : result;
  }
  if (!call.isReadable) return unreadableResult(call);
  const work = { service, deadline: purchase.deadline };
  if (!openStates.includes(call.state)) {
    const result = await orUnknown(purchase, runs.advance(call, work, false), call.id);
    // The refused payment turned out to be settled, and recovery took the call over first.
    return call.state === 'refused' && result.kind === 'undelivered' ? null : result;
  }
  const taken = await orUnknown(purchase, calls.takeOver(call), call.id);
  return taken && orUnknown(purchase, runs.advance(taken, work, false), taken.id);
}

function asReplay(
  { clock }: BuyDeps,
  purchase: Purchase,
  call: PaidCall,
  result: CallResult,
): PurchaseResult | null {
  if (result.kind === 'refused' && !isPaymentOf(call, purchase.signed.payment)) {
    // The key belongs to a refused call with another payment. Once that payment can never be used, this one may be
    // charged.
    if (result.isFinal) return null;
    if (call.payment.validBefore.getTime() <= clock.now()) throw inProgress(purchase, call);
  }
  return { kind: 'called', call, result, isReplay: true };
}

function inProgress({ rail, service }: Purchase, call: PaidCall): ApiError {
  const code = codesFor(rail, service.operation).inProgress;
  return new ApiError(code, { paidCallId: call.id, retryAfterSeconds });
}

/** A request that proves nothing beyond a refused payment learns whether it was used since, but not the answer. */
async function answerUnproven(deps: BuyDeps, purchase: Purchase, call: PaidCall): Promise<PurchaseResult> {
  const known = (result: CallResult): PurchaseResult => ({ kind: 'called', call, result, isReplay: true });
  switch (await orUnknown(purchase, checkRefusal(deps, call, purchase.deadline), call.id)) {
    case 'paid':
      throw new ApiError('payment_already_used', { paidCallId: call.id });
    case 'unknown':
      return known({ kind: 'unknown' });
    default:
      return known(await orUnknown(purchase, unlessReopened(deps, call, refusedResult(call)), call.id));
  }
}
