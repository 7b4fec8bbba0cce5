import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { ApiError } from '@/lib/errors/api-error';
import { errorBody } from '@/lib/errors/error-body';
import { clientAddressHeader, setBehindOurListener } from '@/lib/http/client-address';
import { allowedAt, methodNotAllowed } from '@/lib/http/method-not-allowed';
import { newId } from '@/lib/platform/ids';
import { describeError, log } from '@/lib/platform/log';
import { env } from '@/lib/platform/settings';
import { handleFilesRequest } from '@/lib/services/uploads/files-origin';
import { threads } from '@/lib/threads';
import { clientAddress } from './client-address';
import { answerClientError } from './client-error';
import { answerUnpaid } from './front-door';
import { limitCall } from './limit-call';
import { compressPage, isStaticFile, serveStaticFile } from './static-files';

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

/** One listener for both origins: the host decides whether a request is for files, written by strangers, or for us. */
export function createListener(framework: Handler): Server {
  const filesHost = new URL(env().FILES_URL).host;
  setBehindOurListener();
  // Started before they are needed.
  threads();
  const listen: Handler = async (req, res) => {
    const requestId = newId('req');
    // Set here for the answers that no route of ours makes; routes take the id over from the request.
    res.setHeader('Request-Id', requestId);
    req.headers['request-id'] = requestId;
    req.headers[clientAddressHeader] = clientAddress(req);
    try {
      if (req.headers.host === filesHost) await handleFilesRequest(req, res);
      else await answerApi(req, res, requestId, framework);
    } catch (error) {
      // Handlers answer their own errors; what still gets here has no answer but the end of the connection.
      log().error({ requestId, error: describeError(error) }, 'a request was not answered');
      res.destroy();
    }
  };
  const server = createServer(
    { maxHeaderSize: headerBytesMax, requestTimeout: requestTimeoutMs, keepAliveTimeout: keepAliveMs },
    listen,
  );
  // The handler of an upload checks the announcement first and then invites the bytes itself.
  server.on('checkContinue', listen);
  server.on('clientError', answerClientError);
  return server;
}

/** What the framework would answer in its own words, or not at all, is answered here in ours. */
async function answerApi(
  req: IncomingMessage,
  res: ServerResponse,
  requestId: string,
  framework: Handler,
): Promise<void> {
  if (!isDecodable(req.url ?? '')) return refuse(res, requestId, new ApiError('malformed_request'));
  if (!routedMethods.has(req.method ?? '')) return refuseMethod(req, res, requestId);
  if (!readingMethods.has(req.method ?? '') && isStaticFile(pathOf(req)))
    return refuseMethod(req, res, requestId);
  if (req.headers.expect !== undefined) res.writeContinue();
  if (await answerUnpaid(req, res, requestId)) return;
  const refusal = await limitCall(req, res, pathOf(req));
  if (refusal) return refuse(res, requestId, refusal);
  if (isApiPath(req.url ?? '')) return framework(req, res);
  return serveStaticFile(req, res, () => {
    compressPage(req, res);
    return framework(req, res);
  });
}

/** Small JSON, not worth compressing. */
function isApiPath(url: string): boolean {
  return /^\/(v1|health)(\/|\?|$)/.test(url);
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
function refuseMethod(req: IncomingMessage, res: ServerResponse, requestId: string): void {
  const allow = allowedAt(pathOf(req));
  res.setHeader('Allow', allow);
  if (req.method === 'OPTIONS') res.writeHead(204).end();
  else refuse(res, requestId, methodNotAllowed(allow));
}

function refuse(res: ServerResponse, requestId: string, error: ApiError): void {
  const { retryAfterSeconds: seconds } = error;
  res.writeHead(error.status, {
    'Content-Type': 'application/json',
    'Cache-Control': 'private, no-store',
    ...(seconds === undefined ? {} : { 'Retry-After': seconds }),
  });
  res.end(JSON.stringify(errorBody(error, requestId)));
}
