import type { Readable } from 'node:stream';

/** The one file that a presigned address takes. */
export interface PutGrant {
  /** The object's name in the store: `uploads/up_…`. Never derived from what a caller wrote. */
  readonly key: string;
  readonly mime: string;
  readonly sizeBytes: number;
  /** 64 lowercase hex characters. */
  readonly sha256: string;
  readonly expiresAt: Date;
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

/** Where bytes live. Disk, S3-compatible storage and Vercel Blob stand behind it. */
export interface Store {
  /** An address that stores exactly the granted bytes and nothing else, until it expires. */
  presignPut(grant: PutGrant): Promise<PresignedPut>;
  /** Stores bytes of our own under a new key. */
  put(
    key: string,
    bytes: Uint8Array,
    facts: { readonly mime: string; readonly sha256: string },
  ): Promise<void>;
  /** The size in bytes of a stored object; null when there is none. */
  sizeOf(key: string): Promise<number | null>;
  /** The bytes of a stored object, or of a range of it; null when there is none. */
  open(key: string, range?: ByteRange): Promise<Readable | null>;
  /** Removes an object; quietly does nothing when there is none. */
  remove(key: string): Promise<void>;
}
