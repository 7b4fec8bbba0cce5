import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * Whether two secrets are equal. Compares their digests, so that the time it takes reveals nothing about either, not even
 * the length.
 */
export function isSameSecret(given: string | Uint8Array, wanted: string | Uint8Array): boolean {
  const digest = (value: string | Uint8Array) => createHash('sha256').update(value).digest();
  return timingSafeEqual(digest(given), digest(wanted));
}
