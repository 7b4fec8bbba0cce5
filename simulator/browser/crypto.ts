import { Buffer } from 'node:buffer';
import { sha256 } from 'viem';

/** What a paid call uses of node:crypto. */

export function createHash(algorithm: string) {
  if (algorithm !== 'sha256') throw new Error(`no ${algorithm} in the simulator`);
  const parts: Buffer[] = [];
  const made = {
    update(data: string | Uint8Array) {
      parts.push(Buffer.from(data));
      return made;
    },
    digest(encoding?: BufferEncoding) {
      const bytes = Buffer.from(sha256(Buffer.concat(parts), 'bytes'));
      return encoding === undefined ? bytes : bytes.toString(encoding);
    },
  };
  return made;
}

export function timingSafeEqual(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.from(one).equals(other);
}

export function randomFillSync<T extends Uint8Array<ArrayBuffer>>(bytes: T): T {
  return crypto.getRandomValues(bytes);
}
