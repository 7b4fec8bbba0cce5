import { z } from 'zod';
import { isApiError } from '@/lib/errors/api-error';
import { errors, type NextStep } from '@/lib/errors/codes';

/**
 * How often recovery tries to deliver a paid call, over about an hour (see retryDelayMs), before the call goes to the
 * operator.
 */
const attemptsMax = 20;

const worthRepeating: readonly NextStep[] = ['later', 'same_request'];

/** Whether a call belongs on the worklist after this many attempts, even though the next might succeed. */
export function isTriedEnough(attempts: number): boolean {
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
