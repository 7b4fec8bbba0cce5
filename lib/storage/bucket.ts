import type { Readable } from 'node:stream';
import type { ByteRange, PresignedPut, PutGrant } from './store';

/**
 * What a remote object service is asked to do. Nothing here is trusted further than a disk is: that bytes come back as
 * they were written. Every function throws what the service or the network fails with.
 */
export interface Bucket {
  /** An address for one PUT, as narrow as the service can make it. */
  presignPut(grant: PutGrant): Promise<PresignedPut>;
  /** Stores or replaces an object, whole or not at all. */
  write(name: string, bytes: Buffer, facts: { mime: string; sha256: string }): Promise<void>;
  /** The bytes as they were last written, or a range of them; null when there are none. Fails when it breaks off. */
  read(name: string, range?: ByteRange): Promise<Readable | null>;
  sizeOf(name: string): Promise<number | null>;
  /** Removes an object; quietly does nothing when there is none. */
  erase(name: string): Promise<void>;
}
