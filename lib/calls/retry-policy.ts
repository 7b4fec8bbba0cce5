import { z } from 'zod';
import { isApiError } from '@/lib/catalog/errors/api-error';
import { errors, type NextStep } from '@/lib/catalog/errors/codes';
import type { Timings } from '@/lib/platform/timings';

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
export function retryDelayMs({ backOff }: Timings, attempts: number, stage: Stage): number {
  const longestMs = stage === 'charge' ? backOff.chargeMaxMs : backOff.deliveryMaxMs;
  const delayMs = Math.min(longestMs, backOff.firstMs * 2 ** attempts);
  return delayMs * (1 - Math.random() / 4);
}
