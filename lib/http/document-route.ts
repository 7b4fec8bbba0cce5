import { createHash } from 'node:crypto';
import { ApiError } from './api-error';
import apiHeaders from './api-headers.json';
import { freeRoute } from './free-route';

/** A document: made once, from the catalog and the settings. */
interface Document {
  readonly mediaType: string;
  /** Text as it is; anything else is sent as JSON. */
  readonly make: () => unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Made {
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** As the MPP discovery draft advises; crawlers come daily. */
const cacheControl = 'public, max-age=300';

/**
 * A route that serves the documents that `find` knows by path: each made once, open to every origin, revalidated by its
 * ETag. Where there is none the answer is 404 in JSON, also for whoever tries names under `/.well-known`.
 */
export function documentRoute(find: (path: string) => Promise<Document | null>) {
  const made = new Map<string, Made>();
  const makeOnce = async (path: string): Promise<Made> => {
    const known = made.get(path);
    if (known) return known;
    const document = await find(path);
    if (!document) throw new ApiError('not_found');
    const written = write(document);
    made.set(path, written);
    return written;
  };
  return freeRoute(async (request) => {
    const { text, headers } = await makeOnce(new URL(request.url).pathname);
    if (isKnown(request.headers.get('if-none-match'), headers.ETag ?? '')) {
      return new Response(null, { status: 304, headers });
    }
    return new Response(text, { headers });
  });
}

function write({ mediaType, make, headers }: Document): Made {
  const content = make();
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  const etag = `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"`;
  return {
    text,
    headers: {
      ...apiHeaders,
      ...headers,
      'Content-Type': mediaType,
      'Cache-Control': cacheControl,
      ETag: etag,
    },
  };
}

/** If-None-Match compares weakly (RFC 9110, 13.1.2): proxies that compress mark our tag so. */
export function isKnown(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag);
}
