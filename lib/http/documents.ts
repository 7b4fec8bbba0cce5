import { createHash } from 'node:crypto';
import type { Bytes } from './api-message';

/** What a client would rather read, by its Accept header. */
type Preference = 'html' | 'markdown' | 'other';

/** Everything that a document depends on. */
export interface DocumentRequest {
  /** Without the query. */
  readonly path: string;
  readonly prefers: Preference;
}

/** A document that is made once from catalog and settings and is the same for everyone. */
export interface ServedDocument {
  /** Unique among all documents. */
  readonly key: string;
  readonly mediaType: string;
  /** Defaults to 200. */
  readonly status?: number;
  /** Text and bytes (a Uint8Array) are sent as they are, anything else as JSON. Bytes are not compressed. */
  readonly make: () => unknown;
  /** May replace `Cache-Control`. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Finds the document of a request; null if there is none. */
export type FindDocument = (request: DocumentRequest) => Promise<ServedDocument | null>;

/** A document that has been made. */
export interface MadeDocument {
  readonly status: number;
  readonly content: string | Bytes;
  /** With its ETag, which names the bytes of `content`. */
  readonly headers: Readonly<Record<string, string>> & { readonly ETag: string };
}

/** The MPP discovery draft recommends five minutes. */
const cacheControl = 'public, max-age=300';

/**
 * Makes each document once and keeps it until the process ends, because catalog and settings do not change until then.
 * Documents are cached by their own keys, not by the paths that callers choose, so the cache cannot grow without limit.
 */
export class Documents {
  readonly #find: FindDocument;
  readonly #made = new Map<string, Promise<MadeDocument>>();

  constructor(find: FindDocument) {
    this.#find = find;
  }

  /** The status of a document, which need not have been made; null if there is none. */
  async statusOf(request: DocumentRequest): Promise<number | null> {
    const document = await this.#find(request);
    return document && (document.status ?? 200);
  }

  async get(request: DocumentRequest): Promise<MadeDocument | null> {
    const document = await this.#find(request);
    if (!document) return null;
    const { key } = document;
    const known = this.#made.get(key);
    if (known) return known;
    const made = make(document);
    this.#made.set(key, made);
    // If it fails, the next request tries again.
    made.catch(() => this.#made.delete(key));
    return made;
  }
}

async function make({ mediaType, status = 200, make, headers }: ServedDocument): Promise<MadeDocument> {
  const made = await make();
  const content = typeof made === 'string' || isBytes(made) ? made : JSON.stringify(made);
  const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 27)}"`;
  return {
    status,
    content,
    headers: { 'Cache-Control': cacheControl, ...headers, 'Content-Type': mediaType, ETag: etag },
  };
}

/** No document shares its memory with another thread. */
function isBytes(made: unknown): made is Bytes {
  return made instanceof Uint8Array && made.buffer instanceof ArrayBuffer;
}

export function preferenceOf(accept: string | null | undefined): Preference {
  if (accept?.includes('text/html')) return 'html';
  return accept?.includes('text/markdown') ? 'markdown' : 'other';
}

/** If-None-Match compares weakly (RFC 9110, 13.1.2): proxies that compress make our ETag weak. */
export function isAmong(ifNoneMatch: string | null | undefined, etag: string): boolean {
  if (ifNoneMatch === null || ifNoneMatch === undefined) return false;
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag);
}
