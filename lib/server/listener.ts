import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { App } from '@/lib/app';
import { ApiError } from '@/lib/errors/api-error';
import { errorBody } from '@/lib/errors/error-body';
import apiHeaders from '@/lib/http/api-headers.json';
import { clientAddressHeader } from '@/lib/http/client-address';
import { allowedAt, methodNotAllowed } from '@/lib/http/method-not-allowed';
import { newId } from '@/lib/platform/ids';
import { describeError } from '@/lib/platform/log';
import { handleFilesRequest } from '@/lib/services/uploads/files-origin';
import { clientAddress } from './client-address';
import { answerClientError } from './client-error';
import { answerUnpaid } from './front-door';
import { limitCall } from './limit-call';
import { Routes, type RouteTable } from './routes';
import { StaticFiles } from './static-files';
import { sendWebResponse, toWebRequest } from './web-request';

export type Handler = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

/**
 * x402 envelopes with our extensions echoed take some 8 KB; anything far above is refused with 431 before it is read.
 */
const headerBytesMax = 32 * 1024;
/** A file of 10 MiB over a slow line. */
const requestTimeoutMs = 5 * 60_000;
/** Longer than common load balancers keep a connection, so that they and not we close it first. */
const keepAliveMs = 65_000;

/** What routes can be asked with. TRACE, PROPFIND and the like reach none. */
const routedMethods: ReadonlySet<string> = new Set([
  'DELETE',
  'GET',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'POST',
  'PUT',
]);

const readingMethods: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** Where the listener hands what it does not answer itself. */
export interface Destinations {
  /** The route files of the API, whose handlers are called here, without the framework's router and conversions. */
  readonly routes: RouteTable;
  /** Pages and documents. */
  readonly framework: Handler;
}

/** One listener for both origins: the host decides whether a request is for files, written by strangers, or for us. */
export function createListener(app: App, { routes: table, framework }: Destinations): Server {
  const filesHost = new URL(app.settings.FILES_URL).host;
  const inner: Inner = { app, routes: new Routes(table), files: new StaticFiles(), framework };
  const listen: Handler = async (req, res) => {
    const requestId = newId('req');
    // Set here for the answers that no route of ours makes; routes take the id over from the request.
    res.setHeader('Request-Id', requestId);
    req.headers['request-id'] = requestId;
    req.headers[clientAddressHeader] = clientAddress(app, req);
    try {
      if (req.headers.host === filesHost) await handleFilesRequest(app, req, res);
      else await answerApi(inner, req, res, requestId);
    } catch (error) {
      // Handlers answer their own errors; what still gets here has no answer but the end of the connection.
      app.log.error({ requestId, error: describeError(error) }, 'a request was not answered');
      res.destroy();
    }
  };
  const server = createServer(
    { maxHeaderSize: headerBytesMax, requestTimeout: requestTimeoutMs, keepAliveTimeout: keepAliveMs },
    listen,
  );
  // The handler of an upload checks the announcement first and then invites the bytes itself.
  server.on('checkContinue', listen);
  server.on('clientError', (error, socket) => answerClientError(app, error, socket));
  return server;
}

interface Inner {
  readonly app: App;
  readonly routes: Routes;
  readonly files: StaticFiles;
  readonly framework: Handler;
}

/** What the framework would answer in its own words, or not at all, is answered here in ours. */
async function answerApi(
  inner: Inner,
  req: IncomingMessage,
  res: ServerResponse,
  requestId: string,
): Promise<void> {
  const { app, files, framework } = inner;
  const { method = '' } = req;
  const path = pathOf(req);
  if (!isDecodable(req.url ?? '')) return refuse(app, res, requestId, new ApiError('malformed_request'));
  if (!routedMethods.has(method)) return refuseMethod(app, req, res, requestId);
  if (!readingMethods.has(method) && files.isFile(path)) return refuseMethod(app, req, res, requestId);
  if (req.headers.expect !== undefined) res.writeContinue();
  if (await answerUnpaid(app, req, res, requestId)) return;
  const refusal = await limitCall(app, req, res, path);
  if (refusal) return refuse(app, res, requestId, refusal);
  if (isApiPath(path)) return answerRoute(inner, req, res);
  return files.serve(req, res, () => {
    files.compressPage(req, res);
    return framework(req, res);
  });
}

/** Calls the handler of a route file; what has none, such as an address with a slash too many, is the framework's. */
async function answerRoute(
  { routes, framework }: Inner,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const path = pathOf(req);
  const handler = routes.find(req.method ?? '', path);
  if (!handler) return framework(req, res);
  const response = await handler(toWebRequest(req, res));
  await sendWebResponse(req, res, response, path.startsWith('/v1/') ? apiHeaders : {});
}

/** Small JSON, not worth compressing. */
function isApiPath(path: string): boolean {
  return /^\/(v1|health)(\/|$)/.test(path);
}

function isDecodable(url: string): boolean {
  try {
    decodeURIComponent(url);
    return true;
  } catch {
    return false;
  }
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '';
}

/** Methods are told by OPTIONS, and otherwise by 405. */
function refuseMethod(app: App, req: IncomingMessage, res: ServerResponse, requestId: string): void {
  const allow = allowedAt(pathOf(req));
  res.setHeader('Allow', allow);
  if (req.method === 'OPTIONS') res.writeHead(204).end();
  else refuse(app, res, requestId, methodNotAllowed(allow));
}

function refuse(app: App, res: ServerResponse, requestId: string, error: ApiError): void {
  const { retryAfterSeconds: seconds } = error;
  res.writeHead(error.status, {
    'Content-Type': 'application/json',
    'Cache-Control': 'private, no-store',
    ...(seconds === undefined ? {} : { 'Retry-After': seconds }),
  });
  res.end(JSON.stringify(errorBody(error, requestId, app.settings.PUBLIC_URL)));
}
