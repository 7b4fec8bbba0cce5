import type { ApiRequest } from './api-message';
import type { HttpApp } from './app';

/** Our listener sets this header on every request, replacing what the client sent. */
export const clientAddressHeader = 'client-address';

/** The client's address: from our listener, otherwise from the headers of the framework or the proxy in front of it. */
export function clientAddressOf(
  { isBehindOurListener, settings }: Pick<HttpApp, 'isBehindOurListener' | 'settings'>,
  { headers }: Pick<ApiRequest, 'headers'>,
): string {
  if (isBehindOurListener) return headers.get(clientAddressHeader) ?? '';
  const forwarded = (headers.get('x-forwarded-for') ?? '').split(',');
  return forwarded.at(-Math.max(1, settings.TRUSTED_PROXIES))?.trim() ?? '';
}
