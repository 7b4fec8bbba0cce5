import { z } from 'zod';
import { isApiError } from '@/lib/catalog/errors/api-error';
import { errors, type NextStep } from '@/lib/catalog/errors/codes';
import { awaitsDelivery } from '@/lib/ledger/states';
import { backoffMs } from '@/lib/platform/backoff';
import { describeError } from '@/lib/platform/log';
import type { Timings } from '@/lib/platform/timings';
import type { CallDeps } from './call-deps';
import type { NextAttempt } from './call-store';
import type { PaidCall } from './paid-call';

/**
 * How often recovery tries to deliver a paid call, over about an hour (see retryDelayMs), before the call goes to the
 * operator.
 */
const attemptsMax = 20;

const worthRepeating: readonly NextStep[] = ['later', 'same_request'];

/** Whether a call has failed often enough to go to the operator's worklist, even though the next attempt might succeed. */
export function isRetryLimitReached(attempts: number): boolean {
  return attempts >= attemptsMax;
}

/**
 * Whether the same delivery would fail every time: the service refused it by its own rules, or its output does not
 * match the operation's schema. Other failures may go away.
 */
export function isPermanent(error: unknown): boolean {
  if (isApiError(error)) return !worthRepeating.includes(errors[error.code].retry);
  return error instanceof z.ZodError;
}

/** The failure code for the worklist. Never a message, which might contain private data. */
export function failureCode(error: unknown): string {
  return isApiError(error) ? (error.reason ?? error.code) : 'delivery_failed';
}

/** What recovery failed to do: learn the outcome of a payment, or deliver a paid call. */
type Stage = 'charge' | 'delivery';

/**
 * How long recovery waits before it tries a call again: twice as long each time, up to the limit of the stage. The
 * limit for charges is shorter, because others may submit an open payment, and only the next look-up notices. Up to a
 * quarter of the delay is random, so that calls that failed together do not all return together.
 * @param attempts how often recovery has failed with the call so far
 * @returns milliseconds
 */
function retryDelayMs({ backOff }: Timings, attempts: number, stage: Stage): number {
  const maxMs = stage === 'charge' ? backOff.chargeMaxMs : backOff.deliveryMaxMs;
  const delayMs = backoffMs({ firstMs: backOff.firstMs, maxMs }, attempts);
  return delayMs * (1 - Math.random() / 4);
}

/**
 * Leaves an unfinished call to recovery. Best effort: if the database is down, the instance's heartbeat stops and
 * others take over.
 * @param call in the state in which it was attempted. `attempts` counts those of recovery only, so retries by the
 *   client do not delay recovery.
 * @param options a note for callers and operators, and the latest time of the next attempt
 */
export async function scheduleRetry(
  deps: Pick<CallDeps, 'calls' | 'clock' | 'timings' | 'log'>,
  { id, attempts, state }: Pick<PaidCall, 'id' | 'attempts' | 'state'>,
  { note, untilMs = Number.POSITIVE_INFINITY }: { note?: string; untilMs?: number } = {},
): Promise<void> {
  const isDelivery = awaitsDelivery(state);
  const delayMs = retryDelayMs(deps.timings, attempts, isDelivery ? 'delivery' : 'charge');
  const attemptAt = new Date(Math.min(deps.clock.now() + delayMs, untilMs));
  await releaseCall(deps, id, { attempts, attemptAt, isDelivery, note });
}

/** Sets when recovery looks at a call next, and releases it. Best effort, as above. */
export async function releaseCall(
  { calls, log }: Pick<CallDeps, 'calls' | 'log'>,
  id: string,
  next: NextAttempt,
): Promise<void> {
  await calls.postpone(id, next).catch((error: unknown) => {
    log.error({ paidCallId: id, error: describeError(error) }, 'a call could not be released');
  });
}
