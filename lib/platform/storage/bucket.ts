import type { Readable } from 'node:stream';
import type { ByteRange, PresignedPut, PutGrant } from './store';

/**
 * The operations that a remote object service must support. Like a disk, it is only trusted to return the bytes that
 * were written. Every function throws errors of the service or the network.
 */
export interface Bucket {
  /** A URL for one PUT, as restricted as the service allows. */
  presignPut(grant: PutGrant): Promise<PresignedPut>;
  /** Stores or replaces an object atomically. */
  write(name: string, bytes: Buffer, facts: { mime: string; sha256: string }): Promise<void>;
  /** The latest bytes, or a range of them; null when the object does not exist. The stream fails when it is cut off. */
  read(name: string, range?: ByteRange): Promise<Readable | null>;
  sizeOf(name: string): Promise<number | null>;
  /** Removes an object, if it exists. */
  erase(name: string): Promise<void>;
}
