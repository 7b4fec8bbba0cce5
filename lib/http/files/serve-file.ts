import { pipeline, type Readable, Transform } from 'node:stream';
import { ApiError } from '@/lib/catalog/errors/api-error';
import { rateLimitFields } from '@/lib/catalog/rate-limits';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Platform } from '@/lib/platform/platform';
import type { WithStore } from '@/lib/platform/storage';
import type { ByteRange } from '@/lib/platform/storage/store';
import { findFile } from '@/lib/services/uploads/arrival';
import { presentationOf } from '@/lib/services/uploads/content-type';
import type { LinkTraffic, ServedUpload } from '@/lib/services/uploads/link-traffic';
import { isOver, objectKey } from '@/lib/services/uploads/slot';
import { type FileRequest, type FileResponse, RangeNotSatisfiable } from './file-message';

interface ServeFileDeps
  extends Pick<WithDatabase & WithStore & Platform, 'db' | 'store' | 'settings' | 'clock' | 'log'> {
  readonly linkTraffic: LinkTraffic;
}

/** The size of one read from the disk. */
const highWaterMark = 65_536;

/**
 * The same bytes, counted.
 * @param whenOver gets the number of bytes passed on, once all of them were, or the reader or the store aborted
 */
export function countedBody(body: Readable, whenOver: (bytes: number) => void): Readable {
  let bytes = 0;
  const counting = new Transform({
    highWaterMark,
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  // An error of either stream ends both. Whoever reads the result sees it.
  pipeline(body, counting, () => whenOver(bytes));
  return counting;
}

/**
 * Serves GET and HEAD of public links. Only the token counts. A wrong or missing slug is redirected, because otherwise
 * anyone could make our link to a file show another name. Every request asks the database, and no-cache makes browsers
 * ask us, so that a deletion takes effect at once.
 */

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
  app: ServeFileDeps,
  request: FileRequest,
  linkToken: string,
  slug: string,
): Promise<FileResponse> {
  const response = await serve(app, request, linkToken, slug);
  // A file has no page of ours around it that could say where to report it.
  const report = `<${app.settings.PUBLIC_URL}/report/${linkToken}>; rel="help"; title="Report this file"`;
  return { ...response, headers: { ...response.headers, Link: report } };
}

const dayFormat = new Intl.DateTimeFormat('en-US', { dateStyle: 'long', timeZone: 'UTC' });

function whyGone({ expiresAt }: { readonly expiresAt: Date }, now: Date): string {
  return expiresAt <= now
    ? `The file at this link expired on ${dayFormat.format(expiresAt)}.`
    : 'The file at this link was deleted.';
}

async function serve(
  app: ServeFileDeps,
  request: FileRequest,
  linkToken: string,
  slug: string,
): Promise<FileResponse> {
  await app.linkTraffic.settled();
  const day = app.linkTraffic.today();
  const upload = await app.linkTraffic.findUpload(linkToken, day);
  if (!upload) throw new ApiError('link_not_found');
  if (upload.takenDownAt !== null) throw new ApiError('link_taken_down');
  const now = app.clock.date();
  if (isOver(upload, now)) throw new ApiError('link_gone', { message: whyGone(upload, now) });
  if (slug !== upload.slug) {
    const location = { Location: `/${linkToken}/${upload.slug}`, 'Content-Length': '0' };
    return { status: 308, headers: { ...location, 'Cache-Control': 'no-store' }, body: null };
  }

  const key = objectKey(upload.id);
  const range =
    request.method === 'GET' && rangeApplies(request, upload)
      ? byteRangeOf(request.header('range'), upload.sizeBytes)
      : null;
  const isUnchanged = isNotModified(request, upload);
  if (!isUnchanged && range !== 'unsatisfiable') refuseOverLimit(app, upload);
  if (request.method === 'HEAD' || range === 'unsatisfiable' || isUnchanged) {
    const size = await findFile(app, upload, () => app.store.sizeOf(key));
    if (size === null) throw absence(upload, now);
    const { headers, ...answer } = answerWithoutBytes(request, upload, range);
    return { ...answer, headers: { ...headers, ...limitFields(app, upload) } };
  }
  const body = await findFile(app, upload, () => app.store.open(key, range ?? undefined));
  if (!body) throw absence(upload, now);
  try {
    // Other downloads may have been counted meanwhile.
    refuseOverLimit(app, upload);
  } catch (error) {
    body.destroy();
    throw error;
  }
  const counted = countTraffic(app, upload, day, range, body);
  const headers = { ...headersOf(upload, range), ...limitFields(app, upload) };
  return { status: range ? 206 : 200, headers, body: counted };
}

/** What is left of a link's limits, as headers. */
function limitFields(
  { linkTraffic }: { readonly linkTraffic: LinkTraffic },
  upload: ServedUpload,
): Record<string, string> {
  const states = linkTraffic.stateOf(upload.id, upload);
  return states.length > 0 ? rateLimitFields(states) : {};
}

/** @throws ApiError download_limit (429) */
function refuseOverLimit(app: { readonly linkTraffic: LinkTraffic }, upload: ServedUpload): void {
  const used = app.linkTraffic.stateOf(upload.id, upload).find(({ left }) => left === 0);
  if (!used) return;
  const headers = limitFields(app, upload);
  throw new ApiError('download_limit', { retryAfterSeconds: used.resetSeconds, headers });
}

/**
 * Counts a response before its bytes are sent, so that parallel downloads can exceed a limit by at most one file per
 * process. Bytes that are not sent in the end are taken back.
 */
function countTraffic(
  { linkTraffic }: { readonly linkTraffic: LinkTraffic },
  { id, sizeBytes }: ServedUpload,
  day: string,
  range: ByteRange | null,
  body: Readable,
): Readable {
  const bytes = range ? range.end - range.start + 1 : sizeBytes;
  // Players fetch a file in parts. Together they are one download: the part with its first byte counts.
  const downloads = !range || range.start === 0 ? 1 : 0;
  linkTraffic.count(id, day, { downloads, bytes });
  return countedBody(body, (sent) => {
    if (sent < bytes) linkTraffic.count(id, day, { downloads: 0, bytes: sent - bytes });
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
    'Content-Disposition': `${disposition}; ${namesForDownload(upload)}`,
    'Content-Security-Policy': contentType === 'application/pdf' ? pdfPolicy : documentPolicy,
    'Accept-Ranges': 'bytes',
    // RFC 9530: of the whole file, also in a response with a part of it.
    'Repr-Digest': `sha-256=:${Buffer.from(upload.sha256, 'hex').toString('base64')}:`,
    'Content-Length': String(length),
    ...(range ? { 'Content-Range': `bytes ${range.start}-${range.end}/${upload.sizeBytes}` } : {}),
  };
}

/** The slug has only characters that need no quoting (slug.ts). A name in another script comes after it (RFC 6266, RFC 8187). */
function namesForDownload({ slug, filename }: ServedUpload): string {
  if (filename === null) return `filename="${slug}"`;
  const encoded = encodeURIComponent(filename).replaceAll(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `filename="${slug}"; filename*=UTF-8''${encoded}`;
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

/**
 * The range of a file that a Range header requests (RFC 9110 section 14). Null means the whole file: without a header,
 * with an unknown one, or with several ranges, which a server may ignore.
 */
export function byteRangeOf(
  header: string | null | undefined,
  sizeBytes: number,
): ByteRange | 'unsatisfiable' | null {
  const [, first, last] = /^bytes=\s*([0-9]{0,15})-([0-9]{0,15})\s*$/i.exec(header ?? '') ?? [];
  if (!first && !last) return null;
  if (!first) {
    const length = Math.min(Number(last), sizeBytes);
    return length === 0 ? 'unsatisfiable' : { start: sizeBytes - length, end: sizeBytes - 1 };
  }
  const start = Number(first);
  const end = last ? Math.min(Number(last), sizeBytes - 1) : sizeBytes - 1;
  if (last && Number(last) < start) return null;
  return start >= sizeBytes ? 'unsatisfiable' : { start, end };
}
