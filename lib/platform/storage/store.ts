import type { Readable } from 'node:stream';

/** The only file that a presigned URL accepts. */
export interface PutGrant extends AnnouncedBytes {
  /** The object's name in the store: `uploads/up_…`. Never derived from a caller's input. */
  readonly key: string;
  readonly expiresAt: Date;
}

export interface AnnouncedBytes {
  readonly mime: string;
  readonly sizeBytes: number;
  /** 64 lowercase hex characters. */
  readonly sha256: string;
}

export interface PresignedPut {
  readonly url: string;
  readonly method: 'PUT';
  readonly headers: Record<string, string>;
}

/** An inclusive byte range. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/**
 * `adopted`: the object exists now. `absent`: nothing was uploaded yet. `altered`: other bytes were uploaded, and
 * erased.
 */
export type Adoption = 'adopted' | 'absent' | 'altered';

/**
 * Stores files: on disk, in S3-compatible storage or in Vercel Blob. An object that exists is complete and has the
 * announced bytes, because this server hashes them before it gives them their name.
 */
export interface Store {
  /**
   * Whether PUTs to presigned URLs come to this server, which checks and stores them itself. Otherwise uploaded bytes
   * wait until `adopt` is called, and a URL stays valid until it expires.
   */
  readonly receivesPuts: boolean;
  /** A URL that accepts exactly the granted bytes until it expires. */
  presignPut(grant: PutGrant): Promise<PresignedPut>;
  /**
   * Turns the bytes uploaded to `key` into the object if they are the announced ones, otherwise erases them. Safe to
   * repeat and to run concurrently.
   */
  adopt(key: string, announced: AnnouncedBytes): Promise<Adoption>;
  /** Stores bytes made by this server. Throws when they do not match `facts`. */
  put(key: string, bytes: Uint8Array, facts: { mime: string; sha256: string }): Promise<void>;
  /** The size of an object in bytes; null when it does not exist. */
  sizeOf(key: string): Promise<number | null>;
  /** The bytes of an object, or a range of them; null when it does not exist. */
  open(key: string, range?: ByteRange): Promise<Readable | null>;
  /** Removes an object and what was uploaded for it, if they exist. */
  remove(key: string): Promise<void>;
}

const keyPattern = /^[a-z][a-z-]{0,31}\/[A-Za-z0-9_-]{1,80}$/;

/** Returns the key; throws when it is not one of ours, so that no name can leave its folder. */
export function checkedKey(key: string): string {
  if (!keyPattern.test(key)) throw new Error('not an object key');
  return key;
}
