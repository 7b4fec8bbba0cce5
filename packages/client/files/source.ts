import { createHash, type Hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';

/** The bytes of an upload. They are read once for the hash and once for each attempt to send them, as a stream. */
export interface FileSource {
  readonly name: string | undefined;
  readonly size: number;
  read(): Readable;
  close(): Promise<void>;
}

export interface Digest {
  readonly sha256: string;
  readonly sha256Base64: string;
}

export async function hash(source: FileSource): Promise<Digest> {
  const sum: Hash = createHash('sha256');
  await finished(source.read().on('data', (chunk: Buffer) => sum.update(chunk)));
  const digest = sum.digest();
  return { sha256: digest.toString('hex'), sha256Base64: digest.toString('base64') };
}
