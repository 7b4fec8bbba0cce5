import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { processWide } from './process-wide';
import { env } from './settings';

/**
 * What DATA_KEY is used for. Each purpose gets a key of its own (HKDF), so that a signature made for one can never
 * stand in for another. Several comma-separated keys mean rotation: the first writes, all of them read.
 */
type Purpose =
  | 'kept-content'
  | 'claim-token'
  | 'mpp-challenge'
  | 'upload-address'
  | 'form-read-token'
  | 'form-stamp';

/** The keys for a purpose, newest first, 32 bytes each. */
export function derivedKeys(purpose: Purpose): readonly [Buffer, ...Buffer[]] {
  return processWide(`derived-keys:${purpose}`, () => {
    const [newest, ...older] = env().DATA_KEY.map((key) =>
      Buffer.from(hkdfSync('sha256', Buffer.from(key, 'base64'), '', `tuppence ${purpose}`, 32)),
    );
    if (!newest) throw new Error('DATA_KEY is empty');
    return [newest, ...older] as const;
  });
}

/** Encrypts content that must outlive a crash but not be read in the database (AES-256-GCM: nonce, tag, ciphertext). */
export function encrypt(plain: string | Buffer): Uint8Array<ArrayBuffer> {
  const [key] = derivedKeys('kept-content');
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
  return new Uint8Array(Buffer.concat([nonce, cipher.getAuthTag(), sealed]));
}

/** The reverse of `encrypt`; throws when no key opens the content or it was altered. */
export function decrypt(sealed: Uint8Array): Buffer {
  const bytes = Buffer.from(sealed);
  for (const key of derivedKeys('kept-content')) {
    const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
    decipher.setAuthTag(bytes.subarray(12, 28));
    try {
      return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]);
    } catch {
      // Sealed with an older key: the next one may open it.
    }
  }
  throw new Error('no DATA_KEY opens this content');
}
