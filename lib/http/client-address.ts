import type { HttpApp } from './app';

/** How our listener tells routes where a request comes from: it sets it on every request. */
export const clientAddressHeader = 'client-address';

/** Where a request comes from: as our listener saw it, else as the framework or the platform in front of it says. */
export function clientAddressOf(
  { isBehindOurListener, settings }: Pick<HttpApp, 'isBehindOurListener' | 'settings'>,
  { headers }: Pick<Request, 'headers'>,
): string {
  if (isBehindOurListener) return headers.get(clientAddressHeader) ?? '';
  const forwarded = (headers.get('x-forwarded-for') ?? '').split(',');
  return forwarded.at(-Math.max(1, settings.TRUSTED_PROXIES))?.trim() ?? '';
}
