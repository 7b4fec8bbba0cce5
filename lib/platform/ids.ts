import { randomBytes } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * An unguessable token of `length` base62 characters, drawn without bias. 24 characters carry 142 bits, above the
 * 128 that an identifier needs when knowing it is the only permission (paid calls, public links).
 */
export function randomToken(length = 24): string {
  let token = '';
  while (token.length < length) {
    for (const byte of randomBytes(length * 2)) {
      // 248 = 4 * 62: bytes above it would favor the first characters.
      if (byte < 248 && token.length < length) token += alphabet[byte % 62];
    }
  }
  return token;
}

/** A prefixed identifier: `pc_…` paid call, `up_…` upload, `fm_…` form, `fr_…` form response, `fa_…` form abuse report, `acct_…` account, `tw_…` transfer without a call. */
export function newId(prefix: 'pc' | 'up' | 'req' | 'st' | 'fm' | 'fr' | 'fa' | 'acct' | 'tw'): string {
  return `${prefix}_${randomToken()}`;
}
