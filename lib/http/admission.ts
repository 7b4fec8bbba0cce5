import type { SignedRequest } from '@/lib/calls/replay';
import { type BudgetUse, checkBudget } from '@/lib/calls/uncharged-work';
import { ApiError } from '@/lib/catalog/errors/api-error';
import type { Operation } from '@/lib/catalog/operation';
import { recordTransferWithoutCall } from '@/lib/ledger/transfers-without-call';
import {
  mayMeanUsed,
  onlyNetworkOf,
  type Payment,
  unknownOutcome,
  type Verification,
} from '@/lib/payments/payment';
import { bodyDigest, isPrepaid, type RecognizedCredential } from '@/lib/payments/rail';
import type { Deadline } from '@/lib/platform/concurrency/deadline';
import { QueueFull } from '@/lib/platform/concurrency/fair-limit';
import type { Requester } from '@/lib/platform/threads';
import { isAvailable } from '@/lib/platform/upstream/availability';
import { replayOfAnother } from './answer-replay';
import type { ApiResponse } from './api-message';
import type { HttpApp } from './http-app';
import { type AnyRail, orUnknown, type RequestContext, retryAfterSeconds } from './request-context';
import { respondPaymentRequired } from './respond-result';

/** A payment that would go through now. */
type ValidPayment = Extract<Verification, { ok: true }>;

/**
 * Verifies the payment and asks the service whether this payer may make the call.
 * @returns a response when the payment is not valid
 * @throws ApiError with a code that says that this request was not charged
 */
export async function admit<Op extends Operation>(
  app: HttpApp,
  context: RequestContext<Op>,
  verified: () => Promise<Verification>,
  requester: Requester,
  now: Date,
): Promise<{ response: ApiResponse } | { verification: ValidPayment; budgetUse: BudgetUse }> {
  const { rail, operation, service, input, signed } = context;
  refuseIfUnavailable(app, rail, operation);
  const verification = await verified();
  if (!verification.ok) return { response: await respondRejected(app, context, verification) };
  const { payment } = signed;
  const budgetUse = await checkBudget(app, service, { payment, address: requester.address, now });
  await service.admit?.(app, input, {
    payer: payment.payer,
    onlyOn: onlyNetworkOf(payment),
    now,
    isNewcomer: budgetUse.isNewcomer,
    requester: { ...requester, priority: 'paying' },
  });
  return { verification, budgetUse };
}

/** An operator has to deal with the failed calls first. */
const pausedRetrySeconds = 300;

/**
 * @throws ApiError service_unavailable, provider_unconfigured or operation_paused (503) when no network is available,
 *   or the operation is unavailable or paused
 */
export function refuseIfUnavailable(app: HttpApp, rail: AnyRail, operation: Operation): void {
  if (!isPrepaid(rail) && app.payments.networks.offered().length === 0)
    throw new ApiError('service_unavailable', {
      retryAfterSeconds: 30,
      cause: new Error('no network is offered'),
    });
  if (!isAvailable(app, operation)) throw new ApiError('provider_unconfigured');
  if (app.pausedOperations.includes(operation.id))
    throw new ApiError('operation_paused', { retryAfterSeconds: pausedRetrySeconds });
}

/**
 * Verifies a payment early: before its request's turn, because valid payments go first in the throttle's queue, or in
 * parallel with the look-up of an earlier call. It is verified only once, unless it was invalid before its request's
 * turn.
 */
export function earlyVerification(
  app: HttpApp,
  paid: Pick<SignedRequest, 'payment' | 'refusal'>,
  client: string,
  deadline: Deadline,
) {
  let beforeTurn: Promise<ValidPayment | null> | null = null;
  let besideLookUp: Promise<Verification> | null = null;
  return {
    async isGood(): Promise<boolean> {
      beforeTurn ??= verify(app, paid, client, deadline).then((verification) =>
        verification.ok ? verification : null,
      );
      return (await beforeTurn) !== null;
    },
    /**
     * Verifies in parallel with other work if no other paid request is in progress. The node then has time to spare,
     * even if the request turns out to be a retry.
     */
    startAlone(): void {
      if (beforeTurn || app.throttle.paying > 1 || app.callsAtWork.size > 0) return;
      besideLookUp = verify(app, paid, client, deadline);
      // For a retry, nothing awaits this promise.
      besideLookUp.catch(() => undefined);
    },
    /** @returns the result, valid or not; verifies now if there is none yet */
    async result(): Promise<Verification> {
      const good = await beforeTurn?.catch(() => null);
      return good ?? (await (besideLookUp ?? verify(app, paid, client, deadline)));
    },
  };
}

/** A credential that is bound to one body does not pay for another. */
export function refusalByBody(credential: RecognizedCredential, body: Uint8Array): string | null {
  const isOther = credential.bodyDigest !== null && credential.bodyDigest !== bodyDigest(body);
  return isOther ? 'body_digest_mismatch' : null;
}

/**
 * Verifies a payment: first what the credential itself shows, then the chain.
 * @throws ApiError too_many_failed_settlements (429) for a payer that has cost too much gas
 */
async function verify(
  app: HttpApp,
  { payment, refusal }: Pick<SignedRequest, 'payment' | 'refusal'>,
  client: string,
  deadline: Deadline,
): Promise<Verification> {
  if (refusal !== null) return { ok: false, reason: refusal, height: 0n };
  const settler = app.payments.openSettlerOf(payment);
  if (!settler) {
    const cause = new Error(`${payment.network} is not offered`);
    throw new ApiError('service_unavailable', { retryAfterSeconds, cause });
  }
  const late = () => Promise.reject(new Error('nobody said in time whether the payment would go through'));
  const verifying = deadline.within(settler.verify(payment, client), null, {
    spareMs: app.timings.signedRequest.settleMs,
  });
  const verification = await verifying
    .then((found) => found ?? late())
    .catch((error: unknown) => {
      // A client that sends a lot at once fills the queue, which is not worth a log line per request.
      if (!(error instanceof QueueFull)) {
        const details = { network: payment.network, cause: error };
        app.problems.reportRequest('error', details, 'a payment could not be verified');
      }
      throw new ApiError('service_unavailable', { retryAfterSeconds, cause: error });
    });
  if (!verification.ok) await refuseIfWithdrawn(app, payment, verification.reason, deadline);
  if (verification.ok || verification.retryAfterSeconds === undefined) return verification;
  throw new ApiError('too_many_failed_settlements', {
    reason: verification.reason,
    retryAfterSeconds: verification.retryAfterSeconds,
  });
}

/**
 * A 402 would make the client sign again, in vain, when no payment on the network goes through.
 * @throws ApiError service_unavailable (503) when the network has just been withdrawn, or the chain cannot say
 */
async function refuseIfWithdrawn(
  app: HttpApp,
  payment: Payment,
  reason: string,
  deadline: Deadline,
): Promise<void> {
  const asking = app.payments.watch.isWithdrawnAfter(payment, reason);
  const isWithdrawn = await deadline.within(asking, true).catch((cause: unknown) => {
    const details = { network: payment.network, cause };
    app.problems.reportRequest('error', details, 'a payment could not be verified');
    throw new ApiError('service_unavailable', { retryAfterSeconds, cause });
  });
  if (isWithdrawn) throw new ApiError('service_unavailable', { retryAfterSeconds });
}

/** The response to a payment that was valid a moment ago; null while it still is. */
export async function rejectedNow(
  app: HttpApp,
  context: RequestContext<Operation>,
): Promise<ApiResponse | null> {
  const verification = await verify(app, context.signed, context.client, context.deadline);
  return verification.ok ? null : respondRejected(app, context, verification);
}

/** The response to an invalid payment: a replay if it has already paid for a call, otherwise a 402. */
async function respondRejected(
  app: HttpApp,
  context: RequestContext<Operation>,
  verification: Extract<Verification, { ok: false }>,
): Promise<ApiResponse> {
  const { rail, operation, challengeRequest, signed } = context;
  const replayed = await replayOfAnother(app, context);
  if (replayed) return replayed;
  if (signed.refusal === null) await refuseIfUsedBefore(app, context, verification);
  return respondPaymentRequired(rail, operation, challengeRequest, {
    reason: verification.reason,
    payer: signed.payment.payer,
    payment: signed.payment,
  });
}

/** How many blocks are searched: hours on most networks, far longer than an authorization is valid. */
const searchedBlocks = 9_000n;

/**
 * Checks whether a rejected payment was already used outside of this service, by its payer or someone else. Then the
 * money moved, though not for a call of ours, and a 402 would make the client pay twice. A transfer that is found is
 * recorded for the operator.
 * @param refused the chain's rejection; no paid call has this payment
 * @throws ApiError payment_already_used (409), or service_unavailable (503) when the chain cannot tell
 */
async function refuseIfUsedBefore(
  app: HttpApp,
  context: RequestContext<Operation>,
  { reason, height }: Extract<Verification, { ok: false }>,
): Promise<void> {
  const { payment } = context.credential;
  const suspicion = mayMeanUsed(reason);
  const settler = app.payments.settlerOf(payment);
  if (suspicion === 'no' || !settler) return;
  const sinceHeight = height > searchedBlocks ? height - searchedBlocks : 0n;
  const looking = settler.resolveOutcome(payment, { sinceHeight, transactionHash: null });
  const found = await context.deadline.within(looking, unknownOutcome);
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
