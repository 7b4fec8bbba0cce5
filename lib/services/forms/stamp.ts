import { createHmac, timingSafeEqual } from 'node:crypto';
import { randomToken } from '@/lib/platform/ids';
import type { FormsApp } from '@/lib/services/forms/app';

/**
 * Every page of a form carries a stamp: when it was made, and a nonce, signed. A post without one of ours did not come
 * from a page of ours; a page is sent once, which makes pressing the button twice harmless.
 */

/** No person reads and fills in a form in less. */
const fillMsMin = 1_500;
/** A page that was open longer is asked to be sent again. */
const ageMsMax = 24 * 3_600_000;

export type StampReading =
  | { readonly kind: 'good'; readonly nonce: string }
  | { readonly kind: 'tooFast' | 'tooOld' | 'unknown' };

/** A new stamp for a page of a form. */
export function newStamp(app: FormsApp, formId: string, now: Date): string {
  const body = `${now.getTime().toString(36)}.${randomToken(16)}`;
  return `${body}.${sign(app.keys.derive('form-stamp')[0], formId, body)}`;
}

/** Whether a stamp is one of ours for this form, and of an age that a person's page has. */
export function readStamp(app: FormsApp, formId: string, stamp: string, now: Date): StampReading {
  const [madeAt = '', nonce = '', signature = ''] = stamp.split('.');
  const isOurs = app.keys
    .derive('form-stamp')
    .some((key) => isEqual(sign(key, formId, `${madeAt}.${nonce}`), signature));
  if (!isOurs) return { kind: 'unknown' };
  const ageMs = now.getTime() - Number.parseInt(madeAt, 36);
  if (ageMs < fillMsMin) return { kind: 'tooFast' };
  return ageMs > ageMsMax ? { kind: 'tooOld' } : { kind: 'good', nonce };
}

function sign(key: Buffer, formId: string, body: string): string {
  return createHmac('sha256', key).update(`${formId}.${body}`).digest('base64url');
}

function isEqual(one: string, other: string): boolean {
  const [ours, theirs] = [Buffer.from(one), Buffer.from(other)];
  return ours.length === theirs.length && timingSafeEqual(ours, theirs);
}
