import { randomFillSync } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Random bytes that no token has used yet. Asking for a few takes as long as asking for thousands. */
const reserve = Buffer.alloc(4_096);
let used = reserve.length;

function nextByte(): number {
  if (used === reserve.length) {
    randomFillSync(reserve);
    used = 0;
  }
  const byte = reserve[used] ?? 0;
  used += 1;
  return byte;
}

/**
 * An unguessable token of `length` base62 characters, drawn without bias. 24 characters carry 142 bits, above the
 * 128 that an identifier needs when knowing it is the only permission (paid calls, public links).
 */
export function randomToken(length = 24): string {
  let token = '';
  while (token.length < length) {
    const byte = nextByte();
    // 248 = 4 * 62: bytes above it would favor the first characters.
    if (byte < 248) token += alphabet[byte % 62];
  }
  return token;
}

/** A prefixed identifier: `pc_…` paid call, `up_…` upload, `fm_…` form, `fr_…` form response, `fa_…` form abuse report, `acct_…` account, `tw_…` transfer without a call, `op_…` operator's action. */
export function newId(
  prefix: 'pc' | 'up' | 'req' | 'st' | 'fm' | 'fr' | 'fa' | 'acct' | 'tw' | 'op',
): string {
  return `${prefix}_${randomToken()}`;
}
