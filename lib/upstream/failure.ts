import { ApiError } from '@/lib/errors/api-error';
import { describeError } from '@/lib/platform/log';
import type { WithUpstream } from '@/lib/upstream/circuit-breakers';
import type { Provider } from './providers';

/**
 * Why a provider gave nothing that can be handed on.
 *
 * - `rejected`: it does not take what the caller asked for;
 * - `account`: it does not take our key, or our credit is used up: the operator has to do something;
 * - `plan`: what we have booked does not take this one call: the operator's affair too, but others are served;
 * - `limited`: it takes no more calls of ours for a while;
 * - `failed`: everything else, from a lost connection to an answer that makes no sense.
 */
export type FailureKind = 'rejected' | 'account' | 'plan' | 'limited' | 'failed';

/** What a provider's refusal is about, in our words. Its own words stay behind. */
export class UpstreamFailure extends Error {
  readonly kind: FailureKind;
  /** Lower-case words and underscores; for `rejected` the caller is told, for the others only the log. */
  readonly reason: string;
  readonly status: number | null;
  /** Seconds, when the provider said when to come again. */
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
 * Asks a provider for a call that is paid. Its failure ends the call openly: kept, 422 when it is the caller's and 502
 * when it is not; the log has the reason, and trouble with our account is an alarm.
 * @throws ApiError upstream_rejected or upstream_failed; whatever else `work` throws is a fault of ours
 */
export async function askPaid<T>(
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
 * Asks a provider for a call that is not paid yet: its failure costs nothing.
 * @param refusal what to tell the caller for a `rejected`, by its reason
 * @throws ApiError provider_unavailable, or what `refusal` makes of a rejection
 */
export async function askUnpaid<T>(
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
  if (kind === 'account' || kind === 'plan')
    app.log.error(facts, 'ALARM: a provider does not take our account');
  else if (kind === 'rejected') app.log.info(facts, 'a provider rejected a request');
  else app.log.warn({ ...facts, cause: cause && describeError(cause) }, 'a provider failed');
  app.circuitBreakers.note(name, failure);
}
