import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * Whether two secrets are equal. Compares their digests, so that the time it takes reveals nothing about either, not even
 * the length.
 */
function isSameSecret(given: string, wanted: string): boolean {
  const digest = (value: string) => createHash('sha256').update(value).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}

/** Whether a request's `Authorization` header is `Bearer` and this token. */
export function hasBearerToken(request: { headers: Pick<Headers, 'get'> }, token: string): boolean {
  return isSameSecret(request.headers.get('authorization') ?? '', `Bearer ${token}`);
}
