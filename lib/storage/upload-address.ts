import { createHmac, timingSafeEqual } from 'node:crypto';
import type { PutGrant } from './store';

/**
 * Addresses that let their bearer put one file. The signature covers the object's name and the end of its time, so that
 * a forged address is refused before the database is asked; which bytes the object takes is written in its row, and no
 * row ever changes that.
 */

/** Newest key first: it signs; any of them verifies, so that DATA_KEY can be rotated without breaking open slots. */
export type SigningKeys = readonly [Buffer, ...Buffer[]];

/** What the bearer of an address claims. */
export interface AddressClaim {
  readonly key: string;
  /** Unix seconds, as written in the address. */
  readonly expires: string | null;
  readonly signature: string | null;
}

function signatureOf(signingKey: Buffer, key: string, expires: string): string {
  return createHmac('sha256', signingKey).update(`PUT\n${key}\n${expires}`).digest('base64url');
}

/** The address that takes the PUT of an object until `expiresAt`, rounded up to the second. */
export function uploadAddress(filesUrl: string, grant: PutGrant, [newest]: SigningKeys): string {
  const expires = String(Math.ceil(grant.expiresAt.getTime() / 1000));
  return `${filesUrl}/${grant.key}?expires=${expires}&signature=${signatureOf(newest, grant.key, expires)}`;
}

/** Whether an address is one of ours, and still open at `now`. Takes the same time for every wrong signature. */
export function checkUploadAddress(
  claim: AddressClaim,
  signingKeys: SigningKeys,
  now: Date,
): 'open' | 'expired' | 'forged' {
  const { key, expires, signature } = claim;
  if (!expires || !signature || !/^[0-9]{1,12}$/.test(expires)) return 'forged';
  const given = Buffer.from(signature);
  let isOurs = false;
  for (const signingKey of signingKeys) {
    const expected = Buffer.from(signatureOf(signingKey, key, expires));
    if (given.length === expected.length && timingSafeEqual(given, expected)) isOurs = true;
  }
  if (!isOurs) return 'forged';
  return now.getTime() < Number(expires) * 1000 ? 'open' : 'expired';
}

/** The headers that the PUT of a grant must carry: S3's names, so that clients need one code path for every store. */
export function putHeaders(grant: Pick<PutGrant, 'mime' | 'sizeBytes' | 'sha256'>) {
  return {
    'content-type': grant.mime,
    'content-length': String(grant.sizeBytes),
    'x-amz-checksum-sha256': Buffer.from(grant.sha256, 'hex').toString('base64'),
    'x-amz-meta-sha256': grant.sha256,
  };
}
