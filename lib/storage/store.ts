import type { Readable } from 'node:stream';

/** The one file that a presigned address takes. */
export interface PutGrant extends AnnouncedBytes {
  /** The object's name in the store: `uploads/up_…`. Never derived from what a caller wrote. */
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

/** adopted: the object is there now. absent: nothing was put yet. altered: something else was, and is erased. */
export type Adoption = 'adopted' | 'absent' | 'altered';

/**
 * Where bytes live. Disk, S3-compatible storage and Vercel Blob stand behind it. An object that exists is complete and
 * is what was announced, whatever stands behind: nothing gets its name before this server has hashed it.
 */
export interface Store {
  /**
   * Whether PUTs to presigned addresses come to this server, which then checks and stores them itself. Otherwise they go
   * past it: what arrived waits until `adopt` is called, and an address stays open until it lapses, come what may.
   */
  readonly receivesPuts: boolean;
  /** An address that takes exactly the granted bytes, until it expires. */
  presignPut(grant: PutGrant): Promise<PresignedPut>;
  /**
   * Makes what was put at the presigned address of `key` the object, when it is the announced bytes; erases it when it is
   * not. May be asked any number of times, also at once.
   */
  adopt(key: string, announced: AnnouncedBytes): Promise<Adoption>;
  /** Stores bytes that this server made. Throws when they are not what `facts` say. */
  put(key: string, bytes: Uint8Array, facts: { mime: string; sha256: string }): Promise<void>;
  /** The size in bytes of a stored object; null when there is none. */
  sizeOf(key: string): Promise<number | null>;
  /** The bytes of a stored object, or of a range of it; null when there is none. */
  open(key: string, range?: ByteRange): Promise<Readable | null>;
  /** Removes an object and what was put at its address; quietly does nothing when there is none. */
  remove(key: string): Promise<void>;
}

const keyPattern = /^[a-z][a-z-]{0,31}\/[A-Za-z0-9_-]{1,80}$/;

/** Returns the key; throws when it is none of ours, so that no name can lead out of a folder or into another one. */
export function checkedKey(key: string): string {
  if (!keyPattern.test(key)) throw new Error('not an object key');
  return key;
}
