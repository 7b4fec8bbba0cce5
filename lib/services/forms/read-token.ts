import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { FormsApp } from '@/lib/services/forms/app';

/**
 * The read token opens the answers of a form. It is derived from the paid call, so that a delivery that is repeated
 * after a crash tells the same one; stored is only its hash.
 */

const derive = (key: Buffer, paidCallId: string) =>
  `frt_${createHmac('sha256', key).update(paidCallId).digest('base64url')}`;

/** How a read token is stored. 256 random-looking bits need no slow hash. */
export function hashReadToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** The read token of a form that is opened now. */
export function newReadToken(app: FormsApp, paidCallId: string): string {
  return derive(app.keys.derive('form-read-token')[0], paidCallId);
}

/** The read token of a form that was opened before, perhaps under an older DATA_KEY; throws when no key gives it. */
export function recallReadToken(app: FormsApp, paidCallId: string, hash: Uint8Array): string {
  for (const key of app.keys.derive('form-read-token')) {
    const token = derive(key, paidCallId);
    if (isReadToken(token, hash)) return token;
  }
  throw new Error('no DATA_KEY gives the read token of this form');
}

/** Whether a token is the one with this hash; takes the same time for all of them. */
export function isReadToken(token: string, hash: Uint8Array): boolean {
  return timingSafeEqual(hashReadToken(token), hash);
}
