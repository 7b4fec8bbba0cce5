import { createHash } from 'node:crypto';

/** The digest of a request body in RFC 9530 form. mppx writes another form, which RFC 9530 parsers reject. */
export function bodyDigest(body: Uint8Array): string {
  return `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
}
