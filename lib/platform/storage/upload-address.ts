import { createHmac } from 'node:crypto';
import { isSameSecret } from '@/lib/platform/same-secret';
import type { PutGrant } from './store';

/**
 * URLs that let their bearer upload one file. The signature covers the object's name and the expiry, so that forged
 * URLs are rejected without a database query. The row says which bytes the object accepts, and never changes.
 */

/** Newest key first. It signs, and all of them verify, so that DATA_KEY can be rotated. */
export type SigningKeys = readonly [Buffer, ...Buffer[]];

/** The parameters of an upload URL. */
export interface AddressClaim {
  readonly key: string;
  /** Unix seconds, as in the URL. */
  readonly expires: string | null;
  readonly signature: string | null;
}

function signatureOf(signingKey: Buffer, key: string, expires: string): string {
  return createHmac('sha256', signingKey).update(`PUT\n${key}\n${expires}`).digest('base64url');
}

/** The upload URL of an object until `expiresAt`, rounded up to a second. */
export function uploadAddress(filesUrl: string, grant: PutGrant, [newest]: SigningKeys): string {
  const expires = String(Math.ceil(grant.expiresAt.getTime() / 1000));
  return `${filesUrl}/${grant.key}?expires=${expires}&signature=${signatureOf(newest, grant.key, expires)}`;
}

/** Whether a URL is ours and still valid. How long it takes reveals nothing about the right signature. */
export function checkUploadAddress(
  claim: AddressClaim,
  signingKeys: SigningKeys,
  now: Date,
): 'open' | 'expired' | 'forged' {
  const { key, expires, signature } = claim;
  if (!expires || !signature || !/^[0-9]{1,12}$/.test(expires)) return 'forged';
  const isOurs = signingKeys.some((signingKey) =>
    isSameSecret(signature, signatureOf(signingKey, key, expires)),
  );
  if (!isOurs) return 'forged';
  return now.getTime() < Number(expires) * 1000 ? 'open' : 'expired';
}

/** The headers that the PUT must have. They have S3's names, so that clients need the same code for every store. */
export function putHeaders(grant: Pick<PutGrant, 'mime' | 'sizeBytes' | 'sha256'>) {
  return {
    'content-type': grant.mime,
    'content-length': String(grant.sizeBytes),
    'x-amz-checksum-sha256': Buffer.from(grant.sha256, 'hex').toString('base64'),
    'x-amz-meta-sha256': grant.sha256,
  };
}
