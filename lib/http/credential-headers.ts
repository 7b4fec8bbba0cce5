import type { ApiRequest } from './api-message';

/** The headers that carry a payment or the token of an account. */
export const credentialHeaders = ['payment-signature', 'x-payment', 'authorization'] as const;

/** Whether a request has any of them, however broken. */
export function hasCredential(headers: ApiRequest['headers']): boolean {
  return credentialHeaders.some((name) => headers.get(name) !== null);
}
