import type { Operation } from '@/lib/catalog/operation';
import { ApiError } from '@/lib/errors/api-error';
import type { HttpApp } from '@/lib/http/app';
import { bodyDigest } from '@/lib/payments/body-digest';
import type { Verification } from '@/lib/payments/payment';
import { isPrepaid, type RecognizedCredential } from '@/lib/payments/rail';
import { describeError } from '@/lib/platform/log';
import type { Requester } from '@/lib/threads';
import { isAvailable } from '@/lib/upstream/availability';
import { replayOfAnother } from './answer-replay';
import { refuseIfUsedBefore } from './earlier-use';
import type { SignedRequest } from './replay';
import { type AnyRail, type RequestContext, retryAfterSeconds } from './request-context';
import { respondPaymentRequired } from './respond-result';
import { checkBudget, type Standing } from './uncharged-work';

/** A payment that the chain would carry out now. */
type Good = Extract<Verification, { ok: true }>;

/**
 * Whether the payment is good, and the service takes the call from this payer.
 * @returns an answer when the payment is not good
 * @throws ApiError of a code that says that nothing was charged, by this request
 */
export async function admit<Op extends Operation>(
  app: HttpApp,
  context: RequestContext<Op>,
  found: () => Good | null,
  requester: Requester,
  now: Date,
): Promise<Response | { verification: Good; standing: Standing }> {
  const { rail, operation, service, input, signed } = context;
  refuseToOffer(app, rail, operation);
  const verification = found() ?? (await verify(app, signed));
  if (!verification.ok) return turnedDown(app, context, verification);
  const { payer } = signed.payment;
  const standing = await checkBudget(app, service, { payer, address: requester.address, now });
  await service.admit?.(app, input, {
    payer,
    now,
    isNewcomer: standing.isNewcomer,
    requester: { ...requester, standing: 'paying' },
  });
  return { verification, standing };
}

/** @throws ApiError service_unavailable or provider_unconfigured (503) when nothing can be paid, or had, now */
export function refuseToOffer(app: HttpApp, rail: AnyRail, operation: Operation): void {
  if (!isPrepaid(rail) && app.payments.networks.offered().length === 0)
    throw new ApiError('service_unavailable', { retryAfterSeconds: 30 });
  if (!isAvailable(app, operation)) throw new ApiError('provider_unconfigured');
}

/**
 * A payment that is verified before its turn, because its request has to wait and payments that are good go first. Only a
 * good one counts then; any other is verified when it is its turn.
 */
export function earlyVerification(app: HttpApp, paid: Pick<SignedRequest, 'payment' | 'refusal'>) {
  let good: Good | null = null;
  return {
    async isGood(): Promise<boolean> {
      const verification = await verify(app, paid);
      if (verification.ok) good = verification;
      return good !== null;
    },
    found: () => good,
  };
}

/** A credential that was made for one body pays for no other. */
export function refusalByBody(credential: RecognizedCredential, body: Uint8Array): string | null {
  const isOther = credential.bodyDigest !== null && credential.bodyDigest !== bodyDigest(body);
  return isOther ? 'body_digest_mismatch' : null;
}

/**
 * What speaks against a payment: what it says itself, then what the chain says.
 * @throws ApiError too_many_failed_settlements (429) for a payer that has cost too much gas
 */
async function verify(
  app: HttpApp,
  { payment, refusal }: Pick<SignedRequest, 'payment' | 'refusal'>,
): Promise<Verification> {
  if (refusal !== null) return { ok: false, reason: refusal, height: 0n };
  const settler = app.payments.openSettlerAt(payment.network);
  if (!settler) throw new ApiError('service_unavailable', { retryAfterSeconds });
  const verification = await settler.verify(payment).catch((error: unknown) => {
    app.log.error(
      { network: payment.network, error: describeError(error) },
      'a payment could not be verified',
    );
    throw new ApiError('service_unavailable', { retryAfterSeconds, cause: error });
  });
  if (verification.ok || verification.retryAfterSeconds === undefined) return verification;
  throw new ApiError('too_many_failed_settlements', {
    reason: verification.reason,
    retryAfterSeconds: verification.retryAfterSeconds,
  });
}

/** The answer to a payment that is no good, unless something has been paid with it already. */
async function turnedDown(
  app: HttpApp,
  context: RequestContext<Operation>,
  verification: Extract<Verification, { ok: false }>,
): Promise<Response> {
  const { rail, operation, challengeRequest, signed } = context;
  const replayed = await replayOfAnother(app, context);
  if (replayed) return replayed;
  if (signed.refusal === null) await refuseIfUsedBefore(app, context, verification);
  return respondPaymentRequired(rail, operation, challengeRequest, {
    reason: verification.reason,
    payer: signed.payment.payer,
  });
}
