import { randomToken } from '@/lib/platform/ids';
import type { Platform } from '@/lib/platform/platform';
import type { ApiRequest } from './api-message';

interface AddressDeps extends Pick<Platform, 'settings'> {
  readonly clientAddressHeader: string;
}

type Headers = Pick<ApiRequest, 'headers'>;

/** A name for the header of one app. */
export function newClientAddressHeader(): string {
  return `client-address-${randomToken().toLowerCase()}`;
}

/** Whether a request came through our own listener, which has counted it for rate limits. Function hosts have none. */
export function cameThroughListener({ clientAddressHeader }: AddressDeps, { headers }: Headers): boolean {
  return headers.get(clientAddressHeader) !== null;
}

/**
 * The client's address: from our listener, otherwise as the trusted proxies saw it. Without trusted proxies it is
 * unknown and empty, because anybody can send X-Forwarded-For. All unknown clients share their limits.
 */
export function clientAddressOf(app: AddressDeps, { headers }: Headers): string {
  const { TRUSTED_PROXIES } = app.settings;
  const seen = headers.get(app.clientAddressHeader);
  if (seen !== null || TRUSTED_PROXIES === 0) return seen ?? '';
  return forwardedAddress(headers.get('x-forwarded-for'), TRUSTED_PROXIES);
}

/** The address that the outermost of our proxies saw; empty if the header names fewer. */
export function forwardedAddress(forwardedFor: string | null | undefined, trustedProxies: number): string {
  return (forwardedFor ?? '').split(',').at(-trustedProxies)?.trim() ?? '';
}
