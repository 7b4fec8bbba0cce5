import { createHash } from 'node:crypto';

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
  /** A string is sent as it is, anything else as JSON. */
  readonly make: () => unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** Finds the document of a request; null if there is none. */
export type FindDocument = (request: DocumentRequest) => Promise<ServedDocument | null>;

/** A document that has been made. */
export interface MadeDocument {
  readonly status: number;
  readonly text: string;
  /** With its ETag, which names the bytes of `text`. */
  readonly headers: Readonly<Record<string, string>> & { readonly ETag: string };
}

/** The MPP discovery draft recommends five minutes. */
const cacheControl = 'public, max-age=300';

/**
 * Makes each document once. It is held until the process ends, because catalog and settings do not change before. What
 * is held is named by the documents there are, not by the paths that callers choose.
 */
export class Documents {
  readonly #find: FindDocument;
  readonly #made = new Map<string, Promise<MadeDocument>>();

  constructor(find: FindDocument) {
    this.#find = find;
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
  const content = await make();
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
  return {
    status,
    text,
    headers: { ...headers, 'Content-Type': mediaType, 'Cache-Control': cacheControl, ETag: etag },
  };
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
