import type { IncomingMessage } from 'node:http';
import { randomToken } from '@/lib/platform/ids';
import type { Settings } from '@/lib/platform/settings';
import type { ApiRequest } from './api-message';

interface AddressDeps {
  readonly settings: Pick<Settings, 'TRUSTED_PROXIES'>;
  readonly clientAddressHeader: string;
}

type Headers = Pick<ApiRequest, 'headers'>;

/** A name for the header of one app. */
export function newClientAddressHeader(): string {
  return `client-address-${randomToken().toLowerCase()}`;
}

/** The address that our outermost proxy saw, or that of the connection when there is no proxy. */
export function addressOfConnection(
  { TRUSTED_PROXIES }: Pick<Settings, 'TRUSTED_PROXIES'>,
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
): string {
  const forwardedFor = [headers['x-forwarded-for'] ?? []].flat().join(',');
  const seen = TRUSTED_PROXIES > 0 ? forwardedAddress(forwardedFor, TRUSTED_PROXIES) : '';
  return seen || (socket.remoteAddress ?? '');
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
function forwardedAddress(forwardedFor: string | null | undefined, trustedProxies: number): string {
  return (forwardedFor ?? '').split(',').at(-trustedProxies)?.trim() ?? '';
}
