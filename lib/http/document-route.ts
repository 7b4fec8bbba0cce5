import { createHash } from 'node:crypto';
import { ApiError } from '@/lib/errors/api-error';
import type { HttpApp } from '@/lib/http/app';
import { handleFreeCall } from './free-call';

/** A document that is made once from catalog and settings and is the same for everyone. */
export interface ServedDocument {
  /** Unique among the documents of a route. */
  readonly key: string;
  readonly mediaType: string;
  /** Defaults to 200. */
  readonly status?: number;
  /** A string is sent as it is, anything else as JSON. */
  readonly make: () => unknown;
  readonly headers: Readonly<Record<string, string>>;
}

interface Made {
  readonly text: string;
  readonly etag: string;
}

/** The MPP discovery draft recommends five minutes. */
const cacheControl = 'public, max-age=300';

/**
 * A route that serves the documents that `find` knows. Each is made once and revalidated by its ETag. Unknown names get
 * a 404 in JSON.
 */
export function documentRoute(
  app: () => HttpApp,
  find: (request: Request) => Promise<ServedDocument | null>,
) {
  const made = new Map<string, Made>();
  const serve = async (request: Request) => {
    const document = await find(request);
    if (!document) throw new ApiError('not_found');
    const { text, etag } = made.get(document.key) ?? write(await document.make());
    made.set(document.key, { text, etag });
    const headers = {
      ...document.headers,
      'Content-Type': document.mediaType,
      'Cache-Control': cacheControl,
      ETag: etag,
    };
    const { status = 200 } = document;
    if (status === 200 && isAmong(request.headers.get('if-none-match'), etag)) {
      return new Response(null, { status: 304, headers });
    }
    return new Response(text, { status, headers });
  };
  return (request: Request) => handleFreeCall(app(), request, () => serve(request));
}

function write(content: unknown): Made {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return { text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 27)}"` };
}

/** If-None-Match compares weakly (RFC 9110, 13.1.2): proxies that compress make our ETag weak. */
function isAmong(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false;
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag);
}
