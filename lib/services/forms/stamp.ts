import { createHmac } from 'node:crypto';
import { dayMs } from '@/lib/platform/durations';
import { randomToken } from '@/lib/platform/ids';
import type { Platform } from '@/lib/platform/platform';
import { isSameSecret } from '@/lib/platform/same-secret';

/**
 * Every form page contains a signed stamp with its time and a nonce. A post without one does not come from our page.
 * Each page can be sent once, so pressing the button twice is harmless.
 */

/** Nobody reads and fills in a form faster. */
const fillMsMin = 1_500;
/** A page that was open longer has to be sent again. */
const ageMsMax = dayMs;

export type StampReading =
  | { readonly kind: 'good'; readonly nonce: string }
  | { readonly kind: 'tooFast' | 'tooOld' | 'unknown' };

/** Makes a stamp for a form page. */
export function newStamp(app: Pick<Platform, 'keys'>, formId: string, now: Date): string {
  const body = `${now.getTime().toString(36)}.${randomToken(16)}`;
  return `${body}.${sign(app.keys.derive('form-stamp')[0], formId, body)}`;
}

/** Checks that a stamp is ours, for this form, and of a plausible age. */
export function readStamp(
  app: Pick<Platform, 'keys'>,
  formId: string,
  stamp: string,
  now: Date,
): StampReading {
  const [madeAt = '', nonce = '', signature = '', ...more] = stamp.split('.');
  // The stamp comes back in a cookie, so extra parts must not be accepted.
  if (more.length > 0) return { kind: 'unknown' };
  const isOurs = app.keys
    .derive('form-stamp')
    .some((key) => isSameSecret(sign(key, formId, `${madeAt}.${nonce}`), signature));
  if (!isOurs) return { kind: 'unknown' };
  const ageMs = now.getTime() - Number.parseInt(madeAt, 36);
  if (ageMs < fillMsMin) return { kind: 'tooFast' };
  return ageMs > ageMsMax ? { kind: 'tooOld' } : { kind: 'good', nonce };
}

function sign(key: Buffer, formId: string, body: string): string {
  return createHmac('sha256', key).update(`${formId}.${body}`).digest('base64url');
}
