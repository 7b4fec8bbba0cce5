import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError, isApiError } from '@/lib/errors/api-error';
import { errorBody } from '@/lib/errors/error-body';
import { newId } from '@/lib/platform/ids';
import { describeError } from '@/lib/platform/log';
import type { ServiceApp } from '@/lib/services/service';
import { receiveFile } from './receive-file';
import { discardBody, isBodyWithheld } from './request-body';
import { serveFile } from './serve-file';

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
    'Accept-Ranges, Content-Disposition, Content-Length, Content-Range, ETag, Last-Modified, Request-Id, Retry-After, Testnet',
  'Cross-Origin-Resource-Policy': 'cross-origin',
};
const preflightHeaders: Readonly<Record<string, string>> = {
  'Access-Control-Allow-Headers':
    'Content-Type, If-Modified-Since, If-None-Match, If-Range, Range, X-Amz-Checksum-Sha256, X-Amz-Meta-Sha256',
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
 * Answers every request to the files origin. Never rejects. Also handles `checkContinue`, and asks for the body itself.
 */
export async function handleFilesRequest(
  app: ServiceApp,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const requestId = newId('req');
  res.setHeader('Request-Id', requestId);
  for (const [name, value] of Object.entries(crossOriginHeaders)) res.setHeader(name, value);
  for (const [name, value] of Object.entries(defensiveHeaders)) res.setHeader(name, value);
  try {
    await route(app, req, res);
  } catch (error) {
    await refuse(app, req, res, requestId, error);
  }
}

async function route(app: ServiceApp, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const [path = '', search = ''] = splitOnce(req.url ?? '', '?');
  const upload = app.store.receivesPuts ? uploadPath.exec(path) : null;
  if (upload) {
    if (isAnswered(req, res, ['PUT'])) return;
    return receiveFile(app, req, res, upload[1] ?? '', new URLSearchParams(search));
  }
  const link = linkPath.exec(path);
  if (link) {
    if (isAnswered(req, res, ['GET', 'HEAD'])) return;
    return serveFile(app, req, res, link[1] ?? '', link[2] ?? '');
  }
  if (path !== '/robots.txt') throw new ApiError('not_found');
  if (isAnswered(req, res, ['GET', 'HEAD'])) return;
  res.setHeader('Content-Type', 'text/plain; charset=utf-8');
  res.setHeader('Content-Length', robots.length);
  res.end(robots);
}

/** Answers OPTIONS and returns whether it did. Throws method_not_allowed for unsupported methods. */
function isAnswered(req: IncomingMessage, res: ServerResponse, methods: readonly string[]): boolean {
  if (methods.includes(req.method ?? '')) return false;
  const allowed = [...methods, 'OPTIONS'].join(', ');
  res.setHeader('Allow', allowed);
  if (req.method !== 'OPTIONS') throw new ApiError('method_not_allowed');
  for (const [name, value] of Object.entries(preflightHeaders)) res.setHeader(name, value);
  res.setHeader('Access-Control-Allow-Methods', allowed);
  res.writeHead(204).end();
  return true;
}

async function refuse(
  app: ServiceApp,
  req: IncomingMessage,
  res: ServerResponse,
  requestId: string,
  error: unknown,
): Promise<void> {
  // The client disconnected or the file was cut off: no error can be sent.
  if (res.headersSent || req.socket.destroyed) {
    if (!req.socket.destroyed)
      app.log.error({ requestId, error: describeError(error) }, 'a download broke off');
    res.destroy();
    return;
  }
  if (!isApiError(error)) app.log.error({ requestId, error: describeError(error) }, 'files request failed');
  const refusal = isApiError(error) ? error : new ApiError('internal_error', { cause: error });

  const body = JSON.stringify(errorBody(refusal, requestId, app.settings.PUBLIC_URL));
  res.statusCode = refusal.status;
  res.setHeader('Content-Type', 'application/json');
  res.setHeader('Content-Length', Buffer.byteLength(body));
  res.setHeader('Cache-Control', 'no-store');
  if (refusal.retryAfterSeconds !== undefined) res.setHeader('Retry-After', refusal.retryAfterSeconds);
  if (isBodyWithheld(req)) res.setHeader('Connection', 'close');
  if (req.method !== 'HEAD') res.write(body);
  // The response is sent. The connection may close only after the rest of the body.
  if (!req.complete && !isBodyWithheld(req)) await discardBody(req);
  res.end();
}

function splitOnce(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + separator.length)];
}
