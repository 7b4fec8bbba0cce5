import { z } from 'zod';
import { isApiError } from '@/lib/errors/api-error';
import { errors, type NextStep } from '@/lib/errors/codes';

/** So often, over about an hour, recovery tries to deliver a paid call (see back-off.ts); then a person has to know of it. */
const attemptsMax = 20;

const worthRepeating: readonly NextStep[] = ['later', 'same_request'];

/** Whether a paid call belongs in the worklist after so many attempts of recovery's, even though the next might succeed. */
export function isTriedEnough(attempts: number): boolean {
  return attempts >= attemptsMax;
}

/**
 * Whether a delivery that failed like this fails like this every time: the service refused it by its own rules, in
 * whatever status, or made something that is not the operation's answer. Anything else may go away by itself.
 */
export function isPermanent(error: unknown): boolean {
  if (isApiError(error)) return !worthRepeating.includes(errors[error.code].retry);
  return error instanceof z.ZodError;
}

/** What the worklist says of a delivery that failed: a code, never a message. */
export function failureCode(error: unknown): string {
  return isApiError(error) ? (error.reason ?? error.code) : 'delivery_failed';
}
