import { ApiError } from '@/lib/errors/api-error';
import type { ServiceApp } from '@/lib/services/service';
import type { ByteRange } from '@/lib/storage/store';
import { findFile } from './arrival';
import { byteRangeOf } from './byte-range';
import { presentationOf } from './content-type';
import { type FileRequest, type FileResponse, RangeNotSatisfiable } from './file-message';
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
 * Answers with the file or a part of it, 304, or 308 to the right URL.
 * @throws ApiError when there is no file
 */
export async function serveFile(
  app: ServiceApp,
  request: FileRequest,
  linkToken: string,
  slug: string,
): Promise<FileResponse> {
  const response = await serve(app, request, linkToken, slug);
  // A file has no page of ours around it that could say where to report it.
  const report = `<${app.settings.PUBLIC_URL}/report/${linkToken}>; rel="help"; title="Report this file"`;
  return { ...response, headers: { ...response.headers, Link: report } };
}

async function serve(
  app: ServiceApp,
  request: FileRequest,
  linkToken: string,
  slug: string,
): Promise<FileResponse> {
  const upload = await findUpload(app, linkToken);
  if (!upload) throw new ApiError('link_not_found');
  if (upload.takenDownAt !== null) throw new ApiError('link_taken_down');
  const now = app.clock.date();
  if (isOver(upload, now)) throw new ApiError('link_gone');
  if (slug !== upload.slug) {
    const location = { Location: `/${linkToken}/${upload.slug}`, 'Content-Length': '0' };
    return { status: 308, headers: { ...location, 'Cache-Control': 'no-store' }, body: null };
  }

  const key = objectKey(upload.id);
  const range =
    request.method === 'GET' && rangeApplies(request, upload)
      ? byteRangeOf(request.header('range'), upload.sizeBytes)
      : null;
  if (request.method === 'HEAD' || range === 'unsatisfiable' || isNotModified(request, upload)) {
    const size = await findFile(app, upload, () => app.store.sizeOf(key));
    if (size === null) throw absence(upload, now);
    return answerWithoutBytes(request, upload, range);
  }
  const body = await findFile(app, upload, () => app.store.open(key, range ?? undefined));
  if (!body) throw absence(upload, now);
  return { status: range ? 206 : 200, headers: headersOf(upload, range), body };
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
  request: FileRequest,
  upload: ServedUpload,
  range: ByteRange | 'unsatisfiable' | null,
): FileResponse {
  if (isNotModified(request, upload)) return { status: 304, headers: validatorsOf(upload), body: null };
  if (range === 'unsatisfiable') throw new RangeNotSatisfiable(upload.sizeBytes);
  return { status: 200, headers: headersOf(upload, null), body: null };
}

function headersOf(upload: ServedUpload, range: ByteRange | null): Record<string, string> {
  const { contentType, disposition } = presentationOf(upload.mime);
  const length = range ? range.end - range.start + 1 : upload.sizeBytes;
  return {
    ...validatorsOf(upload),
    'Content-Type': contentType,
    // A slug has only characters that need no quoting in a header (slug.ts).
    'Content-Disposition': `${disposition}; filename="${upload.slug}"`,
    'Content-Security-Policy': contentType === 'application/pdf' ? pdfPolicy : documentPolicy,
    'Accept-Ranges': 'bytes',
    'Content-Length': String(length),
    ...(range ? { 'Content-Range': `bytes ${range.start}-${range.end}/${upload.sizeBytes}` } : {}),
  };
}

function validatorsOf(upload: ServedUpload): Record<string, string> {
  return {
    ETag: etagOf(upload),
    'Last-Modified': upload.createdAt.toUTCString(),
    'Cache-Control': 'private, no-cache',
  };
}

function etagOf(upload: ServedUpload): string {
  return `"${upload.sha256}"`;
}

/** RFC 9110 section 13.2.2: If-None-Match takes precedence over If-Modified-Since. */
function isNotModified(request: FileRequest, upload: ServedUpload): boolean {
  const tags = request.header('if-none-match');
  if (typeof tags === 'string') {
    return tags.split(',').some((tag) => ['*', etagOf(upload)].includes(tag.trim().replace(/^W\//, '')));
  }
  const since = request.header('if-modified-since');
  // HTTP dates carry whole seconds.
  return (
    typeof since === 'string' && Math.floor(upload.createdAt.getTime() / 1000) <= Date.parse(since) / 1000
  );
}

/** If-Range requests a part only if the file is unchanged, otherwise the whole file. */
function rangeApplies(request: FileRequest, upload: ServedUpload): boolean {
  const known = request.header('if-range');
  return typeof known !== 'string' || known === etagOf(upload) || known === upload.createdAt.toUTCString();
}
