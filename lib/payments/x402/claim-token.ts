import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Platform } from '@/lib/platform/platform';

/**
 * The claim token of a 402 (docs/decisions/claim-token.md). A payment becomes public once it is settled, so it cannot
 * prove who retries a request. The token can: the client echoes it in the envelope, and it never reaches a chain. It
 * consists of 16 random bytes and 16 bytes of an HMAC over them and the operation, so issuing one needs no storage.
 */
const randomLength = 16;
const macLength = 16;

function mac(key: Buffer, operationId: string, random: Buffer): Buffer {
  return createHmac('sha256', key)
    .update(operationId)
    .update('\0')
    .update(random)
    .digest()
    .subarray(0, macLength);
}

/** Issues a token for one operation, base64url. */
export function issueClaimToken(app: Platform, operationId: string): string {
  const [key] = app.keys.derive('claim-token');
  const random = randomBytes(randomLength);
  return Buffer.concat([random, mac(key, operationId, random)]).toString('base64url');
}

/** Whether we issued this token for this operation. */
export function isOurClaimToken(app: Platform, operationId: string, token: string): boolean {
  const bytes = Buffer.from(token, 'base64url');
  if (bytes.length !== randomLength + macLength || bytes.toString('base64url') !== token) return false;
  const random = bytes.subarray(0, randomLength);
  const given = bytes.subarray(randomLength);
  return app.keys.derive('claim-token').some((key) => timingSafeEqual(mac(key, operationId, random), given));
}
