import { randomFillSync } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Random bytes that nothing has used yet. Requesting a few takes as long as requesting thousands. */
const reserve = Buffer.alloc(4_096);
let used = reserve.length;

/** @returns where in the reserve the next bytes begin */
function take(length: number): number {
  if (used + length > reserve.length) {
    randomFillSync(reserve);
    used = 0;
  }
  used += length;
  return used - length;
}

/** Unguessable bytes. @param length up to 4,096 */
export function takeRandomBytes(length: number): Buffer {
  const start = take(length);
  return Buffer.from(reserve.subarray(start, start + length));
}

/**
 * An unguessable token of `length` base62 characters, drawn without bias. 24 characters carry 142 bits, above the
 * 128 that an identifier needs when knowing it is the only permission (paid calls, public links).
 */
export function randomToken(length = 24): string {
  let token = '';
  while (token.length < length) {
    const byte = reserve[take(1)] ?? 0;
    // 248 = 4 * 62: bytes above it would favor the first characters.
    if (byte < 248) token += alphabet[byte % 62];
  }
  return token;
}

/**
 * A prefixed identifier: `req_…` request, `fm_…` form, `fr_…` form response, `fa_…` form abuse report, `acct_…` account, `tw_…`
 * transfer without a call, `op_…` operator's action, `rf_…` refund.
 */
export function newId(prefix: 'req' | 'fm' | 'fr' | 'fa' | 'acct' | 'tw' | 'op' | 'rf'): string {
  return `${prefix}_${randomToken()}`;
}

/**
 * A prefixed identifier for the rows that every paid call adds: `pc_…` paid call, `up_…` upload, `st_…` settlement transaction.
 * It begins with the time, so that rows written together are close together in the indexes (docs/scaling.md).
 */
export function newOrderedId(prefix: 'pc' | 'up' | 'st', now: Date): string {
  return `${prefix}_${orderedToken(now)}`;
}

/** A token of 28 characters that begins with the time and is unguessable: 22 random characters carry 131 bits. */
export function orderedToken(now: Date): string {
  return inSixCharacters(Math.floor(now.getTime() / 1_000)) + randomToken(22);
}

/** A number in base62. Six characters hold the seconds until the year 3769. */
function inSixCharacters(number: number): string {
  let rest = number;
  let characters = '';
  while (characters.length < 6) {
    characters = alphabet.charAt(rest % 62) + characters;
    rest = Math.floor(rest / 62);
  }
  return characters;
}
