import type { IncomingMessage, ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { Documents, type FindDocument, isAmong, type MadeDocument, preferenceOf } from '@/lib/http/documents';

const codings = ['br', 'gzip', 'identity'] as const;
type Coding = (typeof codings)[number];

/** A document as it goes over the wire in one coding. */
interface Encoded {
  readonly bytes: Buffer;
  /** All headers of a 200. */
  readonly headers: Readonly<Record<string, string | number>>;
  /** All headers of a 304. */
  readonly headersUnchanged: Readonly<Record<string, string>>;
  readonly etag: string;
}

/**
 * Constant documents and pages, as bytes in memory. They are made and compressed by the first request for them. The paths
 * of missing ones are not remembered, so callers cannot fill the memory with paths and headers of their choice.
 */
export class HeldDocuments {
  readonly #load: () => Promise<FindDocument>;
  #loaded: Promise<Documents> | undefined;
  /** By preference and path. Several may be the same document. */
  readonly #known = new Map<string, MadeDocument>();
  readonly #encoded = new WeakMap<MadeDocument, Map<Coding, Promise<Encoded>>>();

  /** @param load loads the function that finds documents; called by the first request that may be for one */
  constructor(load: () => Promise<FindDocument>) {
    this.#load = load;
  }

  /** Whether the document of this request has been made. Otherwise `serve` may take as long as a page of the framework. */
  isHeld({ headers }: IncomingMessage, path: string): boolean {
    return this.#known.has(nameOf(path, headers.accept));
  }

  /** The status that `serve` would answer with; null where it would not answer. */
  async statusOf({ headers }: IncomingMessage, path: string): Promise<number | null> {
    if (this.#known.has(nameOf(path, headers.accept))) return 200;
    const documents = await this.#documents();
    return documents.statusOf({ path, prefers: preferenceOf(headers.accept) });
  }

  /**
   * Answers a GET or HEAD of a document, or of a path without one with the page that says so.
   * @returns whether it was answered
   */
  async serve(req: IncomingMessage, res: ServerResponse, path: string): Promise<boolean> {
    const document = await this.#find(path, req.headers.accept);
    if (!document) return false;
    const { bytes, headers, headersUnchanged, etag } = await this.#encode(
      document,
      codingFor(document, req.headers['accept-encoding']),
    );
    if (document.status === 200 && isAmong(req.headers['if-none-match'], etag)) {
      res.writeHead(304, headersUnchanged).end();
      return true;
    }
    res.writeHead(document.status, headers);
    res.end(req.method === 'HEAD' ? undefined : bytes);
    return true;
  }

  async #find(path: string, accept: string | undefined): Promise<MadeDocument | null> {
    const name = nameOf(path, accept);
    const known = this.#known.get(name);
    if (known) return known;
    const documents = await this.#documents();
    const found = await documents.get({ path, prefers: preferenceOf(accept) });
    if (found?.status === 200) this.#known.set(name, found);
    return found;
  }

  #documents(): Promise<Documents> {
    this.#loaded ??= this.#load().then((find) => new Documents(find));
    return this.#loaded;
  }

  #encode(document: MadeDocument, coding: Coding): Promise<Encoded> {
    const known = this.#encoded.get(document) ?? new Map<Coding, Promise<Encoded>>();
    this.#encoded.set(document, known);
    const encoded = known.get(coding) ?? encode(document, coding);
    known.set(coding, encoded);
    // If it fails, the next request tries again.
    encoded.catch(() => known.delete(coding));
    return encoded;
  }
}

function nameOf(path: string, accept: string | undefined): string {
  return `${preferenceOf(accept)} ${path}`;
}

/** Our order of preference counts: whichever coding the client accepts, reading it costs the client nothing. */
function codingFor({ content }: MadeDocument, header: string | string[] | undefined): Coding {
  if (typeof content !== 'string') return 'identity';
  const accepted = String(header ?? '')
    .toLowerCase()
    .split(',')
    .filter((one) => !/;\s*q=0(\.0*)?\s*$/.test(one))
    .map((one) => one.split(';', 1)[0]?.trim());
  return codings.find((coding) => accepted.includes(coding)) ?? 'identity';
}

const compress: Readonly<Record<Coding, (bytes: Buffer) => Promise<Buffer>>> = {
  // The highest quality takes twenty times as long for a few percent.
  br: (bytes) =>
    promisify(brotliCompress)(bytes, {
      params: {
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_QUALITY]: 9,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      },
    }),
  gzip: (bytes) => promisify(gzip)(bytes, { level: 9 }),
  identity: async (bytes) => bytes,
};

async function encode({ content, headers }: MadeDocument, coding: Coding): Promise<Encoded> {
  const bytes = await compress[coding](Buffer.from(content));
  // A strong ETag names bytes, so each coding has its own (RFC 9110, 8.8.3.3).
  const etag = coding === 'identity' ? headers.ETag : headers.ETag.replace(/"$/, `-${coding}"`);
  const vary = [headers.Vary ?? [], typeof content === 'string' ? 'Accept-Encoding' : []].flat().join(', ');
  const headersUnchanged = { ...headers, ...(vary === '' ? {} : { Vary: vary }), ETag: etag };
  return {
    bytes,
    etag,
    headersUnchanged,
    headers: {
      ...headersUnchanged,
      ...(coding === 'identity' ? {} : { 'Content-Encoding': coding }),
      'Content-Length': bytes.length,
    },
  };
}
