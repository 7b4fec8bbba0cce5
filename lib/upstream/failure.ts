import { ApiError } from '@/lib/errors/api-error';
import { describeError } from '@/lib/platform/log';
import type { WithUpstream } from '@/lib/upstream/circuit-breakers';
import type { Provider } from './providers';

/**
 * Why a provider call failed.
 *
 * - `rejected`: the provider does not accept the caller's input
 * - `account`: our key is rejected or our credit is used up, and the operator has to act
 * - `plan`: our plan does not allow this call, but it allows others
 * - `limited`: the provider accepts no more of our calls for a while
 * - `failed`: everything else, from a lost connection to an unusable response
 */
export const failureKinds = ['rejected', 'account', 'plan', 'limited', 'failed'] as const;
export type FailureKind = (typeof failureKinds)[number];

/** A failed provider call, described in our own words. The provider's message is not passed on. */
export class UpstreamFailure extends Error {
  readonly kind: FailureKind;
  /** A snake_case code. For `rejected` the caller gets it, otherwise only the log. */
  readonly reason: string;
  readonly status: number | null;
  /** The provider's Retry-After in seconds; null when it sent none. */
  readonly retryAfter: number | null;

  constructor(
    kind: FailureKind,
    reason: string,
    details: { status?: number; retryAfter?: number | null; cause?: unknown } = {},
  ) {
    super(`the provider ${kind}: ${reason}`, { cause: details.cause });
    this.name = 'UpstreamFailure';
    this.kind = kind;
    this.reason = reason;
    this.status = details.status ?? null;
    this.retryAfter = details.retryAfter ?? null;
  }
}

/**
 * Calls a provider for a paid call. A failure ends the call as kept, with 422 when the input is the cause and 502
 * otherwise. The reason is logged, and a problem with our account raises an alarm.
 * @throws ApiError upstream_rejected or upstream_failed. Other errors of `work` are bugs.
 */
export async function callPaid<T>(
  app: WithUpstream,
  provider: Pick<Provider, 'name'>,
  paidCallId: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error;
    record(app, provider, error, paidCallId);
    if (error.kind === 'rejected')
      throw new ApiError('upstream_rejected', { paidCallId, reason: error.reason });
    throw new ApiError('upstream_failed', { paidCallId });
  }
}

/**
 * Calls a provider for a call that is not paid yet, so a failure is not charged.
 * @param refusal makes the caller's error for a `rejected`, from its reason
 * @throws ApiError provider_unavailable, or the result of `refusal`
 */
export async function callUnpaid<T>(
  app: WithUpstream,
  provider: Pick<Provider, 'name'>,
  work: () => Promise<T>,
  refusal: (failure: UpstreamFailure) => ApiError,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error;
    record(app, provider, error);
    if (error.kind === 'rejected') throw refusal(error);
    throw new ApiError('provider_unavailable', { retryAfterSeconds: error.retryAfter ?? 30, cause: error });
  }
}

function record(
  app: WithUpstream,
  { name }: Pick<Provider, 'name'>,
  failure: UpstreamFailure,
  paidCallId?: string,
): void {
  const { kind, reason, status, cause } = failure;
  const facts = { provider: name, kind, reason, status, paidCallId };
  app.metrics.providerFailures.inc({ provider: name, kind });
  if (kind === 'account' || kind === 'plan')
    app.log.error(facts, 'ALARM: a provider does not take our account');
  else if (kind === 'rejected') app.log.info(facts, 'a provider rejected a request');
  else app.log.warn({ ...facts, cause: cause && describeError(cause) }, 'a provider failed');
  app.circuitBreakers.note(name, failure);
}
