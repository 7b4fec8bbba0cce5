import { createHash, randomBytes } from 'node:crypto';

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
  return { bytes, announcement, body: JSON.stringify(announcement) };
}
