import { ApiError, retryAfterSeconds } from '@/lib/catalog/errors/api-error';
import { mayMeanUsed, unknownOutcome, type Verification } from '@/lib/payments/outcome';
import { onlyNetworkOf } from '@/lib/payments/payment';
import { answerWinner } from './answer-retry';
import type { BuyDeps } from './call-deps';
import { orUnknown, type Purchase, type PurchaseResult } from './purchase';
import { type ValidPayment, verify } from './verification';
import type { BudgetUse } from './work-budget';

type Invalid = Extract<Verification, { ok: false }>;

/** The payment would go through, and the service accepts the call. */
interface Admitted {
  readonly kind: 'admitted';
  readonly verification: ValidPayment;
  readonly budgetUse: BudgetUse;
}

/**
 * Verifies the payment and asks the service whether this payer may make the call. An identical request that was faster is
 * answered instead of a refusal.
 * @throws ApiError with a code that says that this request was not charged
 */
export async function admit(
  deps: BuyDeps,
  purchase: Purchase,
  verified: () => Promise<Verification>,
  now: Date,
): Promise<Admitted | PurchaseResult> {
  try {
    return await tryToAdmit(deps, purchase, verified, now);
  } catch (error) {
    const answered = await answerWinner(deps, purchase);
    if (answered) return answered;
    throw error;
  }
}

async function tryToAdmit(
  deps: BuyDeps,
  purchase: Purchase,
  verified: () => Promise<Verification>,
  now: Date,
): Promise<Admitted | PurchaseResult> {
  const { service, input, signed, requester } = purchase;
  purchase.refuseIfUnavailable();
  const verification = await verified();
  if (!verification.ok) return reject(deps, purchase, verification);
  const { payment } = signed;
  const budgetUse = await service.budget.check(payment, requester.address, now);
  await service.admit(input, {
    payer: payment.payer,
    onlyOn: onlyNetworkOf(payment),
    now,
    isNewcomer: budgetUse.isNewcomer,
    requester: { ...requester, priority: 'paying' },
  });
  return { kind: 'admitted', verification, budgetUse };
}

/** The result for a payment that was valid a moment ago; null while it still is. */
export async function rejectedNow(deps: BuyDeps, purchase: Purchase): Promise<PurchaseResult | null> {
  const verification = await verify(deps, purchase);
  return verification.ok ? null : reject(deps, purchase, verification);
}

/** The result for an invalid payment: that of the winner if it has already paid for a call, otherwise a rejection. */
async function reject(deps: BuyDeps, purchase: Purchase, verification: Invalid): Promise<PurchaseResult> {
  const answered = await answerWinner(deps, purchase);
  if (answered) return answered;
  await refuseIfUsedBefore(deps, purchase, verification);
  return { kind: 'rejected', reason: verification.reason };
}

/** How many blocks are searched: hours on most networks, far longer than an authorization is valid. */
const searchedBlocks = 9_000n;

/**
 * The chain's rejection of a payment; null when it does not reject it, or when the credential itself shows that the payment is not
 * for this call. One that only came too late may have been used in time.
 */
async function rejectionOnChain(
  deps: BuyDeps,
  purchase: Purchase,
  verification: Invalid,
): Promise<Invalid | null> {
  const { payment, refusal } = purchase.signed;
  if (refusal === null) return verification;
  if (mayMeanUsed(refusal) === 'no') return null;
  const verified = await verify(deps, { ...purchase, signed: { payment, refusal: null } });
  return verified.ok ? null : verified;
}

/**
 * Checks whether a rejected payment was already used outside of this service, by its payer or someone else, or for a call that
 * this ledger has lost. Then the money moved, though not for a call that we know, and a 402 would make the client pay twice. A
 * transfer that is found is recorded for the operator.
 * @param verification the rejection; no paid call has this payment
 * @throws ApiError payment_already_used (409), or service_unavailable (503) when the chain cannot tell
 */
async function refuseIfUsedBefore(deps: BuyDeps, purchase: Purchase, verification: Invalid): Promise<void> {
  const { calls, payments, clock, log } = deps;
  const { payment } = purchase.signed;
  const rejection = await rejectionOnChain(deps, purchase, verification);
  const settler = payments.settlerOf(payment);
  if (!rejection || !settler) return;
  const { reason, height } = rejection;
  const suspicion = mayMeanUsed(reason);
  if (suspicion === 'no') return;
  const sinceHeight = height > searchedBlocks ? height - searchedBlocks : 0n;
  const looking = settler.resolveOutcome(payment, { sinceHeight, transactionHash: null });
  const found = await purchase.deadline.within(looking, unknownOutcome);
  // Canceled, replaced by another authorization, failed, or not used at all: no money moved.
  if (found.kind === 'refused' || (found.kind === 'unknown' && found.isUnused)) return;
  if (found.kind === 'unknown' && suspicion === 'perhaps')
    throw new ApiError('service_unavailable', { retryAfterSeconds });
  if (found.kind === 'settled') {
    const { transactionHash } = found;
    log.error(
      { network: payment.network, transaction: transactionHash, payer: payment.payer },
      'a payment was submitted before its request arrived: its transfer has no call',
    );
    const { id } = purchase.service.operation;
    await orUnknown(purchase, calls.recordTransferWithoutCall(payment, transactionHash, id, clock.date()));
  }
  throw new ApiError('payment_already_used', { paidCallId: undefined });
}
