import { createHash, createHmac } from 'node:crypto';
import type { Platform } from '@/lib/platform/platform';
import { isSameSecret } from '@/lib/platform/same-secret';

/**
 * The read token gives access to a form's answers. It is derived from the paid call, so that a repeated delivery
 * returns the same one. Only its hash is stored.
 */

const derive = (key: Buffer, paidCallId: string) =>
  `frt_${createHmac('sha256', key).update(paidCallId).digest('base64url')}`;

/** The stored form of a read token. 256 random bits need no slow hash. */
export function hashReadToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** The read token of a new form. */
export function newReadToken(app: Pick<Platform, 'keys'>, paidCallId: string): string {
  return derive(app.keys.derive('form-read-token')[0], paidCallId);
}

/** The read token of an existing form, perhaps with an older DATA_KEY; throws when no key matches. */
export function recallReadToken(app: Pick<Platform, 'keys'>, paidCallId: string, hash: Uint8Array): string {
  for (const key of app.keys.derive('form-read-token')) {
    const token = derive(key, paidCallId);
    if (isReadToken(token, hash)) return token;
  }
  throw new Error('no DATA_KEY gives the read token of this form');
}

/** Whether a token has this hash. */
export function isReadToken(token: string, hash: Uint8Array): boolean {
  return isSameSecret(hashReadToken(token), hash);
}
