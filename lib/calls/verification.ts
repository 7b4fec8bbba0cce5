import { ApiError, retryAfterSeconds } from '@/lib/catalog/errors/api-error';
import type { Verification } from '@/lib/payments/outcome';
import type { Payment } from '@/lib/payments/payment';
import type { Deadline } from '@/lib/platform/concurrency/deadline';
import { QueueFull } from '@/lib/platform/concurrency/fair-limit';
import type { BuyDeps } from './call-deps';
import type { Purchase } from './purchase';

type VerifyDeps = Pick<BuyDeps, 'payments' | 'timings' | 'problems' | 'runs'>;

/** A payment that would go through now. */
export type ValidPayment = Extract<Verification, { ok: true }>;

/** What verifying a payment takes. */
interface Verified extends Pick<Purchase, 'client' | 'deadline'> {
  readonly signed: Pick<Purchase['signed'], 'payment' | 'refusal'>;
}

/**
 * Verifies a payment early: before its request's turn, because valid payments go first in the throttle's queue, or in
 * parallel with the look-up of an earlier call. It is verified only once, unless it was invalid before its request's
 * turn.
 */
export class EarlyVerification {
  readonly #deps: VerifyDeps;
  readonly #verified: Verified;
  #beforeClaim: Promise<ValidPayment | null> | null = null;
  #besideLookUp: Promise<Verification> | null = null;

  constructor(deps: VerifyDeps, verified: Verified) {
    this.#deps = deps;
    this.#verified = verified;
  }

  /** Whether the payment would go through now. */
  async isGood(): Promise<boolean> {
    this.#beforeClaim ??= verify(this.#deps, this.#verified).then((verification) =>
      verification.ok ? verification : null,
    );
    return (await this.#beforeClaim) !== null;
  }

  /**
   * Verifies in parallel with other work, unless calls are being advanced. The node then has time to spare, even if the request
   * turns out to be a retry.
   */
  startAlone(): void {
    if (this.#beforeClaim || !this.#deps.runs.isIdle) return;
    this.#besideLookUp = verify(this.#deps, this.#verified);
    // For a retry, nothing awaits this promise.
    this.#besideLookUp.catch(() => undefined);
  }

  /** @returns the result, valid or not; verifies now if there is none yet */
  async result(): Promise<Verification> {
    const good = await this.#beforeClaim?.catch(() => null);
    return good ?? (await (this.#besideLookUp ?? verify(this.#deps, this.#verified)));
  }
}

/**
 * Verifies a payment: first what the credential itself shows, then the chain.
 * @throws ApiError too_many_failed_settlements (429) for a payer that has cost too much gas
 */
export async function verify(
  deps: VerifyDeps,
  { signed: { payment, refusal }, client, deadline }: Verified,
): Promise<Verification> {
  if (refusal !== null) return { ok: false, reason: refusal, height: 0n };
  const settler = deps.payments.openSettlerOf(payment);
  if (!settler) {
    const cause = new Error(`${payment.network} is not offered`);
    throw new ApiError('service_unavailable', { retryAfterSeconds, cause });
  }
  const late = () => Promise.reject(new Error('nobody said in time whether the payment would go through'));
  const verifying = deadline.within(settler.verify(payment, client), null, {
    spareMs: deps.timings.signedRequest.settleMs,
  });
  const verification = await verifying
    .then((found) => found ?? late())
    .catch((error: unknown) => {
      // A client that sends a lot at once fills the queue, which is not worth a log line per request.
      if (!(error instanceof QueueFull)) {
        const details = { network: payment.network, cause: error };
        deps.problems.reportRequest('error', details, 'a payment could not be verified');
      }
      throw new ApiError('service_unavailable', { retryAfterSeconds, cause: error });
    });
  if (!verification.ok) await refuseIfWithdrawn(deps, payment, verification.reason, deadline);
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
  { payments, problems }: VerifyDeps,
  payment: Payment,
  reason: string,
  deadline: Deadline,
): Promise<void> {
  const checking = payments.watch.isWithdrawnAfter(payment, reason);
  const isWithdrawn = await deadline.within(checking, true).catch((cause: unknown) => {
    const details = { network: payment.network, cause };
    problems.reportRequest('error', details, 'a payment could not be verified');
    throw new ApiError('service_unavailable', { retryAfterSeconds, cause });
  });
  if (isWithdrawn) throw new ApiError('service_unavailable', { retryAfterSeconds });
}
