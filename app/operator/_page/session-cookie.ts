import { sessionMaxMs } from '@/lib/operator/console/console-session';
import type { Platform } from '@/lib/platform/platform';

/** The cookie that holds the key of a session, and where a post comes from. */

/**
 * The cookie of a session, and that of a browser at the sign-in page. A browser that follows a link from another site
 * does not send the first one, and the sign-in page must not replace it.
 */
type CookieName = 'operator' | 'operator-sign-in';

/** With the prefix, browsers accept the cookie only from this exact host, and only over HTTPS. */
function nameOf({ settings }: Pick<Platform, 'settings'>, name: CookieName): string {
  return isSecure(settings.PUBLIC_URL) ? `__Host-${name}` : name;
}

function isSecure(url: string): boolean {
  return new URL(url).protocol === 'https:';
}

/** The value of `Set-Cookie`. No script can read it, and no other site's request carries it. */
export function keyCookie(app: Pick<Platform, 'settings'>, name: CookieName, key: string): string {
  const secure = isSecure(app.settings.PUBLIC_URL) ? '; Secure' : '';
  return `${nameOf(app, name)}=${key}; Path=/; Max-Age=${sessionMaxMs / 1_000}; HttpOnly; SameSite=Strict${secure}`;
}

/** The key in a cookie of the request; null without one. */
export function keyIn(
  app: Pick<Platform, 'settings'>,
  name: CookieName,
  { headers }: Request,
): string | null {
  const prefix = `${nameOf(app, name)}=`;
  const found = (headers.get('cookie') ?? '').split(/; */).find((one) => one.startsWith(prefix));
  const key = found?.slice(prefix.length) ?? '';
  return /^[0-9A-Za-z]{32}$/.test(key) ? key : null;
}

/** Whether a post comes from a page at PUBLIC_URL. Browsers say so in a header; a post without one is not accepted. */
export function isFromOurPage({ settings }: Pick<Platform, 'settings'>, { headers }: Request): boolean {
  const [site, origin] = [headers.get('sec-fetch-site'), headers.get('origin')];
  if (site !== null && site !== 'same-origin') return false;
  if (origin !== null) return origin === new URL(settings.PUBLIC_URL).origin;
  return site === 'same-origin';
}
