import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { ApiError } from '@/lib/errors/api-error';
import type { ServiceApp } from '@/lib/services/service';
import type { ByteRange } from '@/lib/storage/store';
import { findFile } from './arrival';
import { byteRangeOf } from './byte-range';
import { presentationOf } from './content-type';
import { isOver, objectKey } from './slot';

/**
 * Serves GET and HEAD of public links. Only the token counts. A wrong or missing slug is redirected, because otherwise
 * anyone could make our link to a file show another name. Every request asks the database, and no-cache makes browsers
 * ask us, so that a deletion takes effect at once.
 */

type ServedUpload = NonNullable<Awaited<ReturnType<typeof findUpload>>>;

/**
 * A file may load itself (browsers do so for video and images) and nothing else. The sandbox removes its origin,
 * scripts, forms and pop-ups.
 */
const documentPolicy =
  "sandbox; default-src 'none'; img-src 'self' data:; media-src 'self'; style-src 'unsafe-inline'";
/** Some browsers refuse to show a PDF in a sandbox. Scripts in a PDF viewer do not have our origin. */
const pdfPolicy = "default-src 'none'; object-src 'self'; style-src 'unsafe-inline'";

/**
 * Answers with the file or a part of it, 304, or 308 to the right URL. Throws ApiError when there is no file, and the
 * stream's error when the client disconnects.
 */
export async function serveFile(
  app: ServiceApp,
  req: IncomingMessage,
  res: ServerResponse,
  linkToken: string,
  slug: string,
): Promise<void> {
  const upload = await findUpload(app, linkToken);
  if (!upload) throw new ApiError('link_not_found');
  if (upload.takenDownAt !== null) throw new ApiError('link_taken_down');
  const now = app.clock.date();
  if (isOver(upload, now)) throw new ApiError('link_gone');
  if (slug !== upload.slug) {
    res.setHeader('Cache-Control', 'no-store');
    res.writeHead(308, { Location: `/${linkToken}/${upload.slug}`, 'Content-Length': 0 }).end();
    return;
  }

  const key = objectKey(upload.id);
  const range = req.method === 'GET' && rangeApplies(req, upload) ? wantedRange(req, upload) : null;
  if (req.method === 'HEAD' || range === 'unsatisfiable' || isNotModified(req, upload)) {
    const size = await findFile(app, upload, () => app.store.sizeOf(key));
    if (size === null) throw absence(upload, now);
    return answerWithoutBytes(req, res, upload, range);
  }
  const bytes = await findFile(app, upload, () => app.store.open(key, range ?? undefined));
  if (!bytes) throw absence(upload, now);
  // If a store returns too few bytes, the client must not wait for the rest.
  res.strictContentLength = true;
  writeHead(res, upload, range);
  await pipeline(bytes, res);
}

function findUpload(app: ServiceApp, linkToken: string) {
  return app.db.upload.findUnique({
    where: { linkToken },
    select: {
      id: true,
      slug: true,
      mime: true,
      sizeBytes: true,
      sha256: true,
      createdAt: true,
      uploadUrlExpiresAt: true,
      expiresAt: true,
      deletedAt: true,
      takenDownAt: true,
    },
  });
}

/** Before the upload the client may wait. Once the upload URL has expired, it cannot. */
function absence(upload: ServedUpload, now: Date): ApiError {
  return new ApiError(upload.uploadUrlExpiresAt > now ? 'link_not_ready' : 'link_not_found');
}

function answerWithoutBytes(
  req: IncomingMessage,
  res: ServerResponse,
  upload: ServedUpload,
  range: ByteRange | 'unsatisfiable' | null,
): void {
  if (isNotModified(req, upload)) {
    writeValidators(res, upload);
    res.writeHead(304).end();
  } else if (range === 'unsatisfiable') {
    res.setHeader('Content-Range', `bytes */${upload.sizeBytes}`);
    throw new ApiError('range_not_satisfiable');
  } else {
    writeHead(res, upload, null);
    res.end();
  }
}

function writeHead(res: ServerResponse, upload: ServedUpload, range: ByteRange | null): void {
  const { contentType, disposition } = presentationOf(upload.mime);
  writeValidators(res, upload);
  res.setHeader('Content-Type', contentType);
  // A slug has only characters that need no quoting in a header (slug.ts).
  res.setHeader('Content-Disposition', `${disposition}; filename="${upload.slug}"`);
  res.setHeader('Content-Security-Policy', contentType === 'application/pdf' ? pdfPolicy : documentPolicy);
  res.setHeader('Accept-Ranges', 'bytes');
  if (range) {
    res.setHeader('Content-Range', `bytes ${range.start}-${range.end}/${upload.sizeBytes}`);
    res.setHeader('Content-Length', range.end - range.start + 1);
    res.writeHead(206);
  } else {
    res.setHeader('Content-Length', upload.sizeBytes);
    res.writeHead(200);
  }
}

function writeValidators(res: ServerResponse, upload: ServedUpload): void {
  res.setHeader('ETag', etagOf(upload));
  res.setHeader('Last-Modified', upload.createdAt.toUTCString());
  res.setHeader('Cache-Control', 'private, no-cache');
}

function etagOf(upload: ServedUpload): string {
  return `"${upload.sha256}"`;
}

/** RFC 9110 section 13.2.2: If-None-Match takes precedence over If-Modified-Since. */
function isNotModified(req: IncomingMessage, upload: ServedUpload): boolean {
  const tags = req.headers['if-none-match'];
  if (tags !== undefined) {
    return tags.split(',').some((tag) => ['*', etagOf(upload)].includes(tag.trim().replace(/^W\//, '')));
  }
  const since = req.headers['if-modified-since'];
  // HTTP dates carry whole seconds.
  return since !== undefined && Math.floor(upload.createdAt.getTime() / 1000) <= Date.parse(since) / 1000;
}

/** If-Range requests a part only if the file is unchanged, otherwise the whole file. */
function rangeApplies(req: IncomingMessage, upload: ServedUpload): boolean {
  const known = req.headers['if-range'];
  return known === undefined || known === etagOf(upload) || known === upload.createdAt.toUTCString();
}

function wantedRange(req: IncomingMessage, upload: ServedUpload) {
  return byteRangeOf(req.headers.range, upload.sizeBytes);
}
