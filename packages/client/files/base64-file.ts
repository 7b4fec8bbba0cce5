import { Readable } from 'node:stream';
import { uploadLimits } from '@/lib/catalog/uploads';
import { refuse } from '../tool-error';
import type { FileSource } from './source';

/**
 * Decodes the bytes of an upload.
 * @throws ToolError `invalid_input` if they are not valid base64 or too large
 */
export function decodeFile(base64: string): FileSource {
  const bytes = Buffer.from(base64, 'base64');
  // Node skips invalid characters; encoding again shows whether it did.
  if (withoutPadding(bytes.toString('base64')) !== withoutPadding(base64)) {
    throw wrong('must be valid base64 (RFC 4648 section 4) without line breaks');
  }
  if (bytes.length === 0) throw wrong('must not be empty');
  if (bytes.length > uploadLimits.sizeBytesMax) {
    throw wrong(`must be at most ${uploadLimits.sizeBytesMax} bytes when decoded`);
  }
  return {
    name: undefined,
    size: bytes.length,
    read: () => Readable.from([bytes]),
    close: async () => undefined,
  };
}

/** Base64 has at most two characters of padding. */
function withoutPadding(base64: string): string {
  return base64.replace(/={1,2}$/, '');
}

function wrong(rule: string) {
  return refuse('invalid_input', 'The arguments are not valid.', { issues: [{ path: 'base64', rule }] });
}
