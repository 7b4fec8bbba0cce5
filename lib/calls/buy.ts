import { ApiError, retryAfterSeconds } from '@/lib/catalog/errors/api-error';
import { isSolanaName } from '@/lib/payments/network-offers';
import type { Verification } from '@/lib/payments/outcome';
import type { Payment } from '@/lib/payments/payment';
import { admit, rejectedNow } from './admission';
import { answerRetry, answerWinner, findReplay } from './answer-retry';
import { type BuyDeps, recordsCharges } from './call-deps';
import { timePhase } from './count-calls';
import type { PaidCall } from './paid-call';
import { canRestart } from './preparation';
import { orUnknown, type Purchase, type PurchaseResult } from './purchase';

/**
 * Buys a call, or answers the retry of one: the steps from a valid request to its result, in order. `CallRuns.advance`
 * continues once the call is claimed.
 * @param verified the verification of the payment, which may have begun
 * @param now when the request came
 * @throws ApiError which says what happened to the money
 */
export async function buy(
  deps: BuyDeps,
  purchase: Purchase,
  verified: () => Promise<Verification>,
  now: Date,
): Promise<PurchaseResult> {
  const { operation } = purchase.service;
  const earlier = await timePhase(deps, operation, 'look_up', () => findReplay(deps, purchase));
  const again = earlier && canRestart(earlier.call) ? earlier.call : null;
  const answered = earlier && !again ? await answerRetry(deps, purchase, earlier) : null;
  if (answered) return answered;

  const admission = await timePhase(deps, operation, 'verify', () => admit(deps, purchase, verified, now));
  if (admission.kind !== 'admitted') return admission;

  const { verification, budgetUse } = admission;
  const claiming = () => claimSerially(deps, purchase, verification.height, again);
  const claimed = await timePhase(deps, operation, 'claim', claiming);
  if (!claimed) return answerOwner(deps, purchase);
  if (claimed.kind !== 'claimed') return claimed;
  const { call } = claimed;
  const work = { service: purchase.service, deadline: purchase.deadline, budgetUse };
  const result = await orUnknown(purchase, deps.runs.advance(call, work, true), call.id);
  return { kind: 'called', call, result, isReplay: false };
}

interface Claimed {
  readonly kind: 'claimed';
  readonly call: PaidCall;
}

/**
 * Claims the call. Concurrent calls on one channel are signed for the same total and take turns: the others wait until the
 * first is charged. They then learn the state of the channel, or get their turn if the first was not charged.
 * @returns null when another call has the payment or the key
 */
async function claimSerially(
  deps: BuyDeps,
  purchase: Purchase,
  sinceHeight: bigint,
  again: PaidCall | null,
): Promise<Claimed | PurchaseResult | null> {
  const { clock, timings } = deps;
  const { firstCallMs, firstCallPollFirstMs } = timings.waitForOther;
  const giveUpAt = clock.monotonic() + firstCallMs;
  for (;;) {
    const call = await claim(deps, purchase, sinceHeight, again);
    if (call) return { kind: 'claimed', call };
    const isSerial = purchase.signed.payment.channelId !== undefined;
    if (!isSerial || clock.monotonic() >= giveUpAt) return null;
    const ended = (await answerWinner(deps, purchase)) ?? (await rejectedNow(deps, purchase));
    if (ended) return ended;
    await clock.sleep(firstCallPollFirstMs);
  }
}

/** @returns null when another call has the payment or the key */
function claim(
  { calls, payments, clock }: BuyDeps,
  purchase: Purchase,
  sinceHeight: bigint,
  again: PaidCall | null,
): Promise<PaidCall | null> {
  const { service, rail, input, signed } = purchase;
  const { payment, requestHash, idempotencyKey, claimToken } = signed;
  const { isPrepared } = service;
  const settler = payments.settlerOf(payment);
  const now = clock.date();
  const entry = {
    id: again?.id ?? calls.newId(now),
    operation: service.operation.id,
    rail: rail.name,
    payment,
    sinceHeight,
    requestHash,
    requestDigest: purchase.requestDigest(),
    idempotencyKey,
    claimToken,
    input,
    isPrepared,
    isFlushedLater: !isPrepared && settler !== null && recordsCharges(settler),
  };
  // A claim may have been written even though its response was lost. Recovery then ends the call.
  return orUnknown(purchase, again ? calls.claimAgain(entry, now) : calls.claim(entry, now), entry.id);
}

/** Answers the call that has the payment or the key. */
async function answerOwner(deps: BuyDeps, purchase: Purchase): Promise<PurchaseResult> {
  const owner = await findReplay(deps, purchase);
  const answered = owner && (await answerRetry(deps, purchase, owner));
  if (answered) return answered;
  if (!owner) await refuseIfOfAnotherPayer(deps, purchase.signed.payment);
  throw new ApiError('service_unavailable', { retryAfterSeconds });
}

/**
 * On Solana, a transfer pays for one call only, and an operator may already have recorded it for another payer.
 * @throws ApiError payment_already_used (409)
 */
async function refuseIfOfAnotherPayer({ calls }: BuyDeps, payment: Payment): Promise<void> {
  if (!isSolanaName(payment.network)) return;
  const paidCallId = await calls.findCallOfPayment(payment);
  if (paidCallId !== null) throw new ApiError('payment_already_used', { paidCallId });
}
