import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ApiError, isApiError, retryAfterSeconds } from '@/lib/catalog/errors/api-error';
import { errorBody } from '@/lib/catalog/errors/error-body';
import { uploadLimits } from '@/lib/catalog/uploads';
import type { WithDatabase } from '@/lib/platform/database/database';
import { newId } from '@/lib/platform/ids';
import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';
import type { WithStore } from '@/lib/platform/storage';
import type { LinkTraffic } from '@/lib/services/uploads/link-traffic';
import { type FileRequest, type FileResponse, MethodNotAllowed, RangeNotSatisfiable } from './file-message';
import { receiveFile } from './receive-file';
import { refusalPage, refusalPagePolicy } from './refusal-page';
import { serveFile } from './serve-file';

interface FilesOriginDeps
  extends Pick<
    WithDatabase & WithStore & Platform,
    'db' | 'store' | 'diskStore' | 'settings' | 'clock' | 'log' | 'problems'
  > {
  readonly linkTraffic: LinkTraffic;
}

/** Whether a browser shows the response to a person. Programs that name no type get JSON, as everywhere. */
function isForPeople(accept: string | null | undefined): boolean {
  return /(^|[\s,])text\/html\b/i.test(accept ?? '');
}

/**
 * The origin for uploaded files, with no page, cookie or script of ours. Uses node:http directly, so that files are
 * served at the speed of the disk.
 */

const uploadPath = /^\/uploads\/([A-Za-z0-9_-]{1,64})$/;
const linkPath = /^\/([A-Za-z0-9]{22,64})(?:\/([^/]*))?$/;

/** What other origins may send and read. Files are public, and this origin has no credentials. */
const crossOriginHeaders: Readonly<Record<string, string>> = {
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'Accept-Ranges, Content-Disposition, Content-Length, Content-Range, ETag, Repr-Digest, Last-Modified, RateLimit, RateLimit-Policy, Request-Id, Retry-After, Testnet, Allow, *',
  'Cross-Origin-Resource-Policy': 'cross-origin',
};
const preflightHeaders: Readonly<Record<string, string>> = {
  'Access-Control-Allow-Headers':
    // A wildcard allows every header but Authorization, and not every client knows it.
    'Content-Type, If-Modified-Since, If-None-Match, If-Range, Range, X-Amz-Checksum-Sha256, X-Amz-Meta-Sha256, Authorization, traceparent, tracestate, baggage, X-Requested-With, X-Request-Id, Cache-Control, *',
  'Access-Control-Max-Age': '86400',
};
const defensiveHeaders: Readonly<Record<string, string>> = {
  // Replaced by the policy in serve-file.ts when a file is served.
  'Content-Security-Policy': "sandbox; default-src 'none'",
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-Robots-Tag': 'noindex, nofollow',
};
const robots = 'User-agent: *\nDisallow: /\n';

/**
 * Answers a request to the files origin. Never rejects. Also handles `checkContinue`, and asks for the body itself.
 * @param client `makeRoom`: counts the body that the client is about to send; false when it is sending too many
 */
export async function handleFilesRequest(
  app: FilesOriginDeps,
  req: IncomingMessage,
  res: ServerResponse,
  client: { makeRoom: () => boolean },
): Promise<void> {
  const isGone = () => req.socket.destroyed;
  const response = await answerFileRequest(app, {
    method: req.method ?? '',
    url: req.url ?? '',
    header: (name) => req.headers[name]?.toString(),
    body() {
      if (!client.makeRoom()) throw new ApiError('service_unavailable', { retryAfterSeconds });
      sendContinue(req, res);
      return req;
    },
    isGone,
  });
  await send(req, res, response).catch((error: unknown) => {
    const requestId = response.headers['Request-Id'];
    if (!isGone()) app.log.error({ requestId, error: describeError(error) }, 'a download broke off');
    res.destroy();
  });
}

/** Answers a request to the files origin with plain values. Never rejects. */
export async function answerFileRequest(app: FilesOriginDeps, request: FileRequest): Promise<FileResponse> {
  const requestId = newId('req');
  const response = await route(app, request).catch((error: unknown) =>
    refuse(app, request, requestId, error),
  );
  return withUsualHeaders(response, requestId);
}

function withUsualHeaders(response: FileResponse, requestId: string): FileResponse {
  const headers = {
    ...crossOriginHeaders,
    ...defensiveHeaders,
    'Request-Id': requestId,
    ...response.headers,
  };
  return { ...response, headers };
}

async function route(app: FilesOriginDeps, request: FileRequest): Promise<FileResponse> {
  const [path = '', search = ''] = splitOnce(request.url, '?');
  const upload = app.store.receivesPuts ? uploadPath.exec(path) : null;
  if (upload) {
    const query = new URLSearchParams(search);
    return preflight(request, ['PUT']) ?? receiveFile(app, request, { id: upload[1] ?? '', query });
  }
  const link = linkPath.exec(path);
  if (!link && path !== '/robots.txt') throw new ApiError('not_found');
  const preflightResponse = preflight(request, ['GET', 'HEAD']);
  if (preflightResponse) return preflightResponse;
  if (link) return serveFile(app, request, link[1] ?? '', link[2] ?? '');
  const headers = {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': String(robots.length),
  };
  return { status: 200, headers, body: request.method === 'HEAD' ? null : robots };
}

/**
 * Answers OPTIONS.
 * @returns null for a supported method
 * @throws MethodNotAllowed for any other
 */
function preflight({ method }: FileRequest, methods: readonly string[]): FileResponse | null {
  if (methods.includes(method)) return null;
  const allowed = [...methods, 'OPTIONS'].join(', ');
  if (method !== 'OPTIONS') throw new MethodNotAllowed(allowed);
  const headers = {
    Allow: allowed,
    // Also the methods that get 405, so that a page can read why.
    'Access-Control-Allow-Methods': 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS',
    ...preflightHeaders,
  };
  return { status: 204, headers, body: null };
}

/** An error: JSON for programs, and a page for people who have opened a link. */
function refuse(
  app: Pick<Platform, 'settings' | 'problems'>,
  { method, header, isGone }: FileRequest,
  requestId: string,
  error: unknown,
): FileResponse {
  if (!isApiError(error) && !isGone())
    app.problems.reportRequest('error', { requestId, cause: error }, 'files request failed');
  const refusal = isApiError(error) ? error : new ApiError('internal_error', { cause: error });
  const { PUBLIC_URL } = app.settings;
  const isPage = ['GET', 'HEAD'].includes(method) && isForPeople(header('accept'));
  const body = isPage
    ? refusalPage(refusal, requestId, app.settings)
    : JSON.stringify(errorBody(refusal, requestId, PUBLIC_URL));
  const { retryAfterSeconds: seconds } = refusal;
  const headers = {
    'Content-Type': isPage ? 'text/html; charset=utf-8' : 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    'Cache-Control': 'no-store',
    ...(isPage ? { 'Content-Security-Policy': refusalPagePolicy() } : {}),
    ...(seconds === undefined ? {} : { 'Retry-After': String(seconds) }),
    ...refusal.headers,
    ...(error instanceof MethodNotAllowed ? { Allow: error.allowed } : {}),
    ...(error instanceof RangeNotSatisfiable ? { 'Content-Range': `bytes */${error.sizeBytes}` } : {}),
  };
  return { status: refusal.status, headers, body };
}

async function send(req: IncomingMessage, res: ServerResponse, response: FileResponse): Promise<void> {
  const { status, headers, body } = response;
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  res.statusCode = status;
  if (body instanceof Readable) {
    // If a store returns too few bytes, the client must not wait for the rest.
    res.strictContentLength = true;
    res.writeHead(status);
    return pipeline(body, res);
  }
  if (isBodyWithheld(req)) res.setHeader('Connection', 'close');
  if (body !== null && req.method !== 'HEAD') res.write(body);
  // The response is sent. The connection may close only after the rest of the body.
  if (status >= 400 && !req.complete && !isBodyWithheld(req)) await discardBody(req);
  res.end();
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)];
}

/** The most that is read from a refused client: twice the size of any upload. */
const discardedBytesMax = 2 * uploadLimits.sizeBytesMax;

const sentContinue = new WeakSet<IncomingMessage>();

function asksToContinue(req: IncomingMessage): boolean {
  return req.headers.expect?.toLowerCase() === '100-continue';
}

/** Tells a client that asked first (RFC 9110 section 10.1.1) to send its body. */
function sendContinue(req: IncomingMessage, res: ServerResponse): void {
  if (!asksToContinue(req)) return;
  sentContinue.add(req);
  res.writeContinue();
}

/**
 * Whether the client was waiting to be asked for its body, and was not. Its next request could then be mistaken for the
 * body, so the connection must be closed.
 */
function isBodyWithheld(req: IncomingMessage): boolean {
  return asksToContinue(req) && !sentContinue.has(req);
}

/**
 * Reads and discards the rest of a refused request. A connection closed with unread bytes is reset, which loses the
 * response. Limited in bytes here, and in time by the server's requestTimeout.
 */
function discardBody(req: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    if (req.destroyed) return resolve();
    let discarded = 0;
    req.on('data', (chunk: Buffer) => {
      discarded += chunk.length;
      if (discarded > discardedBytesMax) req.destroy();
    });
    req.once('end', resolve);
    req.once('close', resolve);
    // Nothing is left to do for a client that disconnects now; `close` follows.
    req.on('error', () => undefined);
    req.resume();
  });
}
