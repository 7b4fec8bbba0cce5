import { createHash, randomBytes } from 'node:crypto';

const known = new Map<string, Uint8Array<ArrayBuffer>>();

/** The bytes of a file that `aFile` has made, by their SHA-256 in hexadecimal; undefined for any other. */
export const bytesOf = (sha256: string): Uint8Array<ArrayBuffer> | undefined => known.get(sha256);

/** Random bytes, and the request for an upload slot for them. */
export function aFile(size = 64, filename = 'notes.txt', mime = 'text/plain') {
  const bytes = new Uint8Array(randomBytes(size));
  const digest = createHash('sha256').update(bytes).digest();
  const announcement = {
    mime,
    size,
    sha256: digest.toString('hex'),
    sha256Base64: digest.toString('base64'),
    filename,
  };
  known.set(announcement.sha256, bytes);
  return { bytes, announcement, body: JSON.stringify(announcement) };
}
