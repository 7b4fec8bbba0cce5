import { ApiError, isApiError } from '@/lib/catalog/errors/api-error';
import { signInKey } from '@/lib/payments/sign-in/sign-in-message';
import type { ApiRequest } from './api-message';

/** The headers that carry a payment or the token of an account. */
export const credentialHeaders = [
  'payment-signature',
  'x-payment',
  'authorization',
  'payment-authorization',
] as const;

/** Whether a request has any of them, however broken. */
export function hasCredential(headers: ApiRequest['headers']): boolean {
  return credentialHeaders.some((name) => headers.get(name) !== null);
}

/** Whether a request without a payment shows which wallet has sent it. */
export function isSignedIn({ headers }: Pick<ApiRequest, 'headers'>): boolean {
  return headers.get(signInKey) !== null;
}

/**
 * The error when the service is too busy to read a request. An earlier, identical request may already have charged its
 * payment, and has not been looked up, so a request with a credential is not told that nothing was charged.
 * @param busy what kept it from being read
 */
export function unreadBecause(busy: ApiError<'service_unavailable'>): ApiError<'ledger_unavailable'> {
  const { retryAfterSeconds } = busy;
  return new ApiError('ledger_unavailable', { retryAfterSeconds, cause: busy });
}

/** Whether an error is about a machine that is too busy. */
export function isBusy(error: unknown): error is ApiError<'service_unavailable'> {
  return isApiError(error) && error.code === 'service_unavailable';
}
