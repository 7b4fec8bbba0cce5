import { ApiError } from '@/lib/catalog/errors/api-error';
import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';
import type { Target, WithUpstream } from '@/lib/platform/upstream/circuit-breakers';

interface FailureDeps extends WithUpstream, Pick<Platform, 'log' | 'metrics'> {}

/**
 * Why a provider call failed.
 *
 * - `rejected`: the provider does not accept the caller's input
 * - `account`: our key is rejected or our credit is used up, and the operator has to act
 * - `plan`: our plan does not allow this call, but it allows others
 * - `incompatible`: the provider no longer has the path, or no longer accepts the requests that we build
 * - `limited`: the provider accepts no more of our calls for a while
 * - `unreachable`: nothing was sent, because there was no connection, or because the circuit breaker was open
 * - `failed`: everything else, from a lost connection to an unusable response
 */
export const failureKinds = [
  'rejected',
  'account',
  'plan',
  'incompatible',
  'limited',
  'unreachable',
  'failed',
] as const;
export type FailureKind = (typeof failureKinds)[number];

/** Kinds that do not end by themselves: only the operator can do something about them. */
const operatorsKinds: readonly FailureKind[] = ['account', 'plan', 'incompatible'];

interface FailureDetails {
  readonly status?: number;
  readonly retryAfter?: number | null;
  /** Set when only requests like this one fail, so that it says nothing about the provider. */
  readonly isOfRequest?: boolean;
  readonly cause?: unknown;
}

/** A failed provider call, described in our own words. The provider's message is not passed on. */
export class UpstreamFailure extends Error {
  readonly kind: FailureKind;
  /** A snake_case code. For `rejected` the caller gets it, otherwise only the log. */
  readonly reason: string;
  readonly status: number | null;
  /** The provider's Retry-After in seconds; null when it sent none. */
  readonly retryAfter: number | null;
  /** Whether other requests may succeed. The caller chose what fails, for instance a page that does not load. */
  readonly isOfRequest: boolean;

  constructor(kind: FailureKind, reason: string, details: FailureDetails = {}) {
    super(`the provider ${kind}: ${reason}`, { cause: details.cause });
    this.name = 'UpstreamFailure';
    this.kind = kind;
    this.reason = reason;
    this.status = details.status ?? null;
    this.retryAfter = details.retryAfter ?? null;
    this.isOfRequest = details.isOfRequest ?? kind === 'rejected';
  }
}

/** The reason of a call that was not even tried. */
export const breakerOpen = 'circuit_breaker_open';

/** The reason of a paid call that waits because nothing could be sent for it. */
export const providerUnreachable = 'provider_unreachable';

/**
 * Calls a provider for a paid call. A failure ends the call as kept, with 422 when the input is the cause and 502
 * otherwise. A call for which nothing was sent is not kept: it stays open. The reason is logged, and a problem that
 * only the operator can solve raises an alarm.
 * @throws ApiError upstream_rejected, upstream_failed or, when nothing was sent, delivery_pending. Other errors of
 *   `work` are bugs.
 */
export async function callPaid<T>(
  app: FailureDeps,
  target: Target,
  paidCallId: string,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await app.circuitBreakers.attempt(target, work);
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error;
    recordFailure(app, target, error, paidCallId);
    if (error.kind === 'unreachable')
      throw new ApiError('delivery_pending', { paidCallId, reason: providerUnreachable, cause: error });
    if (error.kind === 'rejected') {
      if (app.circuitBreakers.rejectsMost(target))
        app.log.error(target, 'ALARM: a provider rejects most calls of an operation');
      throw new ApiError('upstream_rejected', { paidCallId, reason: error.reason });
    }
    throw new ApiError('upstream_failed', { paidCallId, reason: publicReason(error) });
  }
}

/**
 * Calls a provider for a call that is not paid yet, so a failure is not charged.
 * @param refusal makes the caller's error for a `rejected`, from its reason
 * @throws ApiError provider_unavailable, or the result of `refusal`
 */
export async function callUnpaid<T>(
  app: FailureDeps,
  target: Target,
  work: () => Promise<T>,
  refusal: (failure: UpstreamFailure) => ApiError,
): Promise<T> {
  try {
    return await app.circuitBreakers.attemptUnpaid(target, work);
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error;
    recordFailure(app, target, error);
    if (error.kind === 'rejected') throw refusal(error);
    throw unavailable(error);
  }
}

/**
 * Calls a provider whose breaker is half open for a call that is not paid yet: the result shows whether the provider
 * works again, and a failure costs nobody anything.
 * @returns null when the provider works again but this call has to be made in the usual order
 * @throws ApiError provider_unavailable
 */
export async function callAsProbe<T>(
  app: FailureDeps,
  target: Target,
  work: () => Promise<T>,
): Promise<T | null> {
  try {
    return await app.circuitBreakers.attempt(target, work);
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error;
    recordFailure(app, target, error);
    if (error.isOfRequest) return null;
    throw unavailable(error);
  }
}

/**
 * Refuses a call before it is charged while its provider is known to fail, or cannot be connected to.
 * @throws ApiError provider_unavailable (503)
 */
export async function refuseUnlessAvailable(app: FailureDeps, target: Target): Promise<void> {
  app.circuitBreakers.refuseWhileOpen(target);
  try {
    await app.circuitBreakers.checkConnection(target);
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error;
    recordFailure(app, target, error);
    throw unavailable(error);
  }
}

function unavailable(failure: UpstreamFailure): ApiError {
  return new ApiError('provider_unavailable', {
    retryAfterSeconds: failure.retryAfter ?? 30,
    cause: failure,
  });
}

/** What a caller may know about a failure. Problems with our account are the operator's own. */
function publicReason({ kind, reason, status }: UpstreamFailure): string {
  if (kind !== 'failed' || (status !== null && status >= 400)) return 'provider_error';
  if (reason === 'timeout') return 'provider_timeout';
  if (reason === 'interrupted') return 'connection_lost';
  return 'unusable_response';
}

/** Logs and counts a failure. A problem that only the operator can solve raises an alarm. */
export function recordFailure(
  app: Pick<Platform, 'log' | 'metrics'>,
  { provider, operation }: Target,
  failure: UpstreamFailure,
  paidCallId?: string,
): void {
  const { kind, reason, status, cause } = failure;
  if (reason === breakerOpen) return;
  const facts = { provider, operation, kind, reason, status, paidCallId };
  app.metrics.providerFailures.inc({ provider, kind });
  if (kind === 'incompatible') app.log.error(facts, 'ALARM: a provider no longer accepts our requests');
  else if (operatorsKinds.includes(kind)) app.log.error(facts, 'ALARM: a provider does not take our account');
  else if (kind === 'rejected') app.log.info(facts, 'a provider rejected a request');
  else app.log.warn({ ...facts, cause: cause && describeError(cause) }, 'a provider failed');
}
