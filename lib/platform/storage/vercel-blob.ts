import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { IssuedSignedToken } from '@vercel/blob';
import { dayMs, hourMs } from '@/lib/platform/durations';
import type { Platform } from '@/lib/platform/platform';
import type { Bucket } from './bucket';
import { partOf } from './part-of';
import { putHeaders } from './upload-address';

/** The package retries for a quarter of an hour, which is too long for our callers. */
const callMs = 10_000;
/** How long a signing token is valid, and how much of that must be left when it signs a URL. */
const signingTokenMs = dayMs;
const signingTokenLeftMs = 2 * hourMs;
/** How many seconds Vercel's caches may keep an object: the minimum, so that erased objects disappear soon. */
const cacheSeconds = 60;

/**
 * A private store of Vercel Blob. Its presigned PUTs restrict name, type, size and time, but not the digest. URLs are
 * signed here, with a token that Vercel issues for a day, so that a sale needs no request. The package is loaded here
 * because other stores do not need it.
 */
export async function createVercelBucket(
  app: Pick<Platform, 'clock'>,
  { token }: { readonly token: string },
): Promise<Bucket> {
  const blob = await import('@vercel/blob');
  let signing: Promise<IssuedSignedToken> | undefined;
  let signingUntil = 0;
  /** The store's own host, which every response about an object contains. */
  let origin: string | undefined;

  /** Without a pathname, the token can sign any name. Each URL still has only one. */
  function signingToken(): Promise<IssuedSignedToken> {
    const now = app.clock.now();
    if (signing && now < signingUntil - signingTokenLeftMs) return signing;
    signingUntil = now + signingTokenMs;
    const issued = within((abortSignal) =>
      blob.issueSignedToken({ token, operations: ['put'], validUntil: signingUntil, abortSignal }),
    );
    signing = issued;
    issued.catch(() => {
      if (signing === issued) signing = undefined;
    });
    return issued;
  }

  async function head(name: string) {
    try {
      const known = await within((abortSignal) => blob.head(name, { token, abortSignal }));
      origin = new URL(known.url).origin;
      return known;
    } catch (error) {
      if (error instanceof blob.BlobNotFoundError) return null;
      throw error;
    }
  }

  return {
    async presignPut(grant) {
      const [type = ''] = grant.mime.split(';');
      const essence = type.trim().toLowerCase();
      const { presignedUrl } = await blob.presignUrl(await signingToken(), {
        operation: 'put',
        pathname: grant.key,
        access: 'private',
        allowedContentTypes: [essence],
        maximumSizeInBytes: grant.sizeBytes,
        addRandomSuffix: false,
        // Repeating the same PUT must work, because the first response may have been lost.
        allowOverwrite: true,
        // URLs cannot be signed for the past, and a slot may be replayed after it has expired.
        validUntil: Math.max(grant.expiresAt.getTime(), app.clock.now() + 1_000),
      });
      const own = { 'x-content-type': essence, 'x-vercel-blob-access': 'private' };
      return { url: presignedUrl, method: 'PUT', headers: { ...putHeaders(grant), ...own } };
    },

    async write(name, bytes, { mime }) {
      const { url } = await within((abortSignal) =>
        blob.put(name, bytes, {
          token,
          abortSignal,
          access: 'private',
          contentType: mime,
          addRandomSuffix: false,
          allowOverwrite: true,
          cacheControlMaxAge: cacheSeconds,
        }),
      );
      origin = new URL(url).origin;
    },

    async read(name, range) {
      if (!origin && !(await head(name))) return null;
      const headers: Record<string, string> = {
        authorization: `Bearer ${token}`,
        'accept-encoding': 'identity',
      };
      if (range) headers.range = `bytes=${range.start}-${range.end}`;
      // Bypasses caches, which may still have earlier bytes.
      const answer = await within((signal) =>
        fetch(`${origin}/${name}?cache=0`, { headers, signal, redirect: 'error' }),
      );
      if (answer.status === 404) return null;
      if (!answer.ok || !answer.body) throw new Error(`Vercel Blob answered a read with ${answer.status}`);
      const body = Readable.fromWeb(answer.body as ReadableStream<Uint8Array>);
      return range ? partOf(body, answer.headers.get('content-range'), range) : body;
    },

    async sizeOf(name) {
      return (await head(name))?.size ?? null;
    },

    async erase(name) {
      await within((abortSignal) => blob.del(name, { token, abortSignal }));
    },
  };
}

/** Limits the time until the response starts. Its body may take longer. */
async function within<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), callMs);
  try {
    return await call(controller.signal);
  } finally {
    clearTimeout(timer);
  }
}
