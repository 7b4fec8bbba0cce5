import { processWide } from '@/lib/platform/process-wide';
import { env } from '@/lib/platform/settings';

/** How our listener tells routes where a request comes from: it sets it on every request. */
export const clientAddressHeader = 'client-address';

const listener = () => processWide('listener', () => ({ isOurs: false }));

/** Has routes believe the header from now on. Elsewhere a caller could have written it. */
export function setBehindOurListener(): void {
  listener().isOurs = true;
}

/** Whether requests reach the routes of this process through our own listener. */
export function isBehindOurListener(): boolean {
  return listener().isOurs;
}

/** Where a request comes from: as our listener saw it, else as the framework or the platform in front of it says. */
export function clientAddressOf({ headers }: Pick<Request, 'headers'>): string {
  if (isBehindOurListener()) return headers.get(clientAddressHeader) ?? '';
  const forwarded = (headers.get('x-forwarded-for') ?? '').split(',');
  return forwarded.at(-Math.max(1, env().TRUSTED_PROXIES))?.trim() ?? '';
}
