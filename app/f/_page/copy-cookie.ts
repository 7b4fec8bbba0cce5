import { copySeconds } from '@/lib/services/forms/sent-copy';

/**
 * The cookie with which the person who sent a response sees a copy of it: the stamp of their page, for one hour, sent
 * to that form's confirmation page alone. A URL would end up in histories and logs.
 */
const cookieName = 'form-copy';

/** The value of `Set-Cookie`. No script can read it, and no other site's request carries it. */
export function copyCookie(publicUrl: string, path: string, stamp: string): string {
  const secure = new URL(publicUrl).protocol === 'https:' ? '; Secure' : '';
  return `${cookieName}=${stamp}; Path=${path}; Max-Age=${copySeconds}; HttpOnly; SameSite=Strict${secure}`;
}

/** The stamp in a request's cookie; empty without one. */
export function copyStampIn({ headers }: Request): string {
  const prefix = `${cookieName}=`;
  const found = (headers.get('cookie') ?? '').split(/; */).find((one) => one.startsWith(prefix));
  return found?.slice(prefix.length) ?? '';
}
