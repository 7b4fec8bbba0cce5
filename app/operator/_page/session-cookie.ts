import { sessionMaxMs } from '@/lib/operator/console/session';
import type { Platform } from '@/lib/platform/platform';

/** The cookie that holds the key of a session, and where a post comes from. */

/** With the prefix, browsers take the cookie from this very host only, and over HTTPS. */
function nameOf({ settings }: Platform): string {
  return isSecure(settings.PUBLIC_URL) ? '__Host-operator' : 'operator';
}

function isSecure(url: string): boolean {
  return new URL(url).protocol === 'https:';
}

/** The value of `Set-Cookie`. No script can read it, and no other site's request carries it. */
export function sessionCookie(app: Platform, key: string): string {
  const secure = isSecure(app.settings.PUBLIC_URL) ? '; Secure' : '';
  return `${nameOf(app)}=${key}; Path=/; Max-Age=${sessionMaxMs / 1_000}; HttpOnly; SameSite=Strict${secure}`;
}

/** The key in the request's cookie; null without one. */
export function sessionKeyOf(app: Platform, { headers }: Request): string | null {
  const prefix = `${nameOf(app)}=`;
  const found = (headers.get('cookie') ?? '').split(/; */).find((one) => one.startsWith(prefix));
  const key = found?.slice(prefix.length) ?? '';
  return /^[0-9A-Za-z]{32}$/.test(key) ? key : null;
}

/** Whether a post comes from a page at PUBLIC_URL. A browser says so; without its word nothing is accepted. */
export function isFromOurPage({ settings }: Platform, { headers }: Request): boolean {
  const [site, origin] = [headers.get('sec-fetch-site'), headers.get('origin')];
  if (site !== null && site !== 'same-origin') return false;
  if (origin !== null) return origin === new URL(settings.PUBLIC_URL).origin;
  return site === 'same-origin';
}
