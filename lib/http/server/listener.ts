import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type ApiPath, endpointFor, findPath } from '@/lib/catalog/endpoints';
import { ApiError, retryAfterSeconds } from '@/lib/catalog/errors/api-error';
import { errorBody } from '@/lib/catalog/errors/error-body';
import { remote } from '@/lib/catalog/remote';
import { testHeaders } from '@/lib/catalog/test-service';
import apiHeaders from '@/lib/http/api-headers.json' with { type: 'json' };
import { isForOperator, kindOf } from '@/lib/http/call-limits';
import { addressOfConnection } from '@/lib/http/client-address';
import { countDirect } from '@/lib/http/count-requests';
import { hasCredential, unreadBecause } from '@/lib/http/credential-headers';
import { type FindDocument, preferenceOf } from '@/lib/http/documents';
import { handleFilesRequest } from '@/lib/http/files/files-origin';
import type { ServedApp } from '@/lib/http/http-app';
import { methodNotAllowed } from '@/lib/http/method-not-allowed';
import { allowedAt, everyMethod, pathNotFound } from '@/lib/http/paths-of-api';
import { preflightHeaders } from '@/lib/http/preflight-headers';
import { isReadableUrl } from '@/lib/http/readable-url';
import { whenOver } from '@/lib/http/request-over';
import { newId } from '@/lib/platform/ids';
import { answerPath, type ExplainMethods } from './answer-path';
import { NodeApiRequest, sendApiResponse } from './api-request';
import { handleClientError } from './client-error';
import { handleUnpaidCall, isTooLargeToDrop, limitCall, waitForAdmission } from './front-door';
import { HeldBodies } from './held-bodies';
import { HeldDocuments } from './held-documents';
import { repeatsHeader } from './repeated-headers';
import { endWhenStalled } from './stalled-download';
import { StaticFiles } from './static-files';

export type Handler = (req: IncomingMessage, res: ServerResponse) => Promise<void>;

/** x402 envelopes with our extensions have about 8 KB. Larger headers get a 431 before they are read. */
const headerBytesMax = 32 * 1024;
/** Enough for a 10 MiB file over a slow connection. */
const requestTimeoutMs = 5 * 60_000;
/** How much of an arriving file is in memory at a time. */
const fileBytesKept = 2 * 1024 * 1024;
/** A client that sends more requests at once on its connection is not waiting for responses (RFC 9112, 9.3.2). */
const requestsAtOnceMax = 256;
/** Longer than common load balancers, so that they close a connection before we do. */
const keepAliveMs = 65_000;

/** The framework searches it for the names of bots, in a time that grows with the square of its length. */
const userAgentLengthMax = 1_000;

/** How long a client that is still sending has to read why it was refused. */
const lingerMs = 1_000;

/** The methods that routes support. TRACE, PROPFIND and others reach none. */
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

/** Handlers for everything that the listener does not answer. */
export interface Destinations {
  /** Makes the page for a person who opened the URL of a call in a browser. */
  readonly explainMethods: ExplainMethods;
  /** Loads the function that finds constant documents and pages. The listener holds them in memory. */
  readonly documents: () => Promise<FindDocument>;
  /** All other pages. */
  readonly framework: Handler;
}

/** A server of our own, which takes all requests with our listener. */
export function createListener(app: ServedApp, destinations: Destinations): Server {
  const listen = createHandler(app, destinations);
  const limits = {
    maxHeaderSize: headerBytesMax,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: keepAliveMs,
  };
  const server = createServer(limits, listen);
  // The upload handler checks the announced size first, then asks for the body.
  server.on('checkContinue', listen);
  server.on('clientError', (error, socket) => handleClientError(app, error, socket));
  return server;
}

/**
 * One listener for both origins. The host decides whether a request is for files, which strangers wrote, or for the API
 * and pages.
 */
function createHandler(app: ServedApp, destinations: Destinations): Handler {
  const filesHost = new URL(app.settings.FILES_URL).host;
  const inner: Inner = {
    app,
    explainMethods: destinations.explainMethods,
    bodies: new HeldBodies(app),
    arrivingFiles: new HeldBodies(app),
    documents: new HeldDocuments(destinations.documents),
    files: new StaticFiles(),
    framework: destinations.framework,
  };
  const underWay = new WeakMap<Socket, number>();
  return async (req, res) => {
    if (!countOn(underWay, req, res)) return void req.socket.destroy();
    const requestId = newId('req');
    req.headers['request-id'] = requestId;
    req.headers[app.clientAddressHeader] = addressOfConnection(app.settings, req);
    const { 'user-agent': userAgent } = req.headers;
    if (userAgent !== undefined) req.headers['user-agent'] = userAgent.slice(0, userAgentLengthMax);
    for (const watch of app.watchers) watch(req, res, requestId);
    app.metrics.requestsInFlight.inc();
    try {
      if (repeatsHeader(req)) refuse(app, req, res, requestId, new ApiError('malformed_request'));
      else if (req.headers.host === filesHost) await answerFiles(inner, req, res, requestId);
      else await answerApi(inner, req, res, requestId);
    } catch (error) {
      // Handlers answer their own errors. After any other the connection is closed.
      app.problems.reportRequest('error', { requestId, cause: error }, 'a request was not answered');
      res.destroy();
    } finally {
      app.metrics.requestsInFlight.dec();
    }
  };
}

/**
 * Counts a request of a connection until it is over.
 * @returns false when its client has sent too many at once
 */
function countOn(underWay: WeakMap<Socket, number>, req: IncomingMessage, res: ServerResponse): boolean {
  const { socket } = req;
  const count = underWay.get(socket) ?? 0;
  if (count >= requestsAtOnceMax) return false;
  underWay.set(socket, count + 1);
  whenOver(req, res, () => underWay.set(socket, (underWay.get(socket) ?? 1) - 1));
  return true;
}

interface Inner {
  readonly app: ServedApp;
  readonly explainMethods: ExplainMethods;
  readonly bodies: HeldBodies;
  /** Arriving files, counted apart from everything else that a client sends. */
  readonly arrivingFiles: HeldBodies;
  readonly documents: HeldDocuments;
  readonly files: StaticFiles;
  readonly framework: Handler;
}

/** Answers errors that Next would answer in its own format. */
async function answerApi(
  inner: Inner,
  req: IncomingMessage,
  res: ServerResponse,
  requestId: string,
): Promise<void> {
  const { app, bodies, documents, files, framework } = inner;
  const { method = '' } = req;
  const path = pathOf(req);
  if (!isReadableUrl(req.url ?? ''))
    return refuse(app, req, res, requestId, new ApiError('malformed_request'));
  if (!routedMethods.has(method)) return refuseMethod(app, req, res, requestId);
  if (!readingMethods.has(method) && files.isFile(path)) return refuseMethod(app, req, res, requestId);
  const found = findPath(path);
  if (!readingMethods.has(method) && !bodies.hold(req, res)) {
    const busy = new ApiError('service_unavailable', { retryAfterSeconds });
    const isPaid = found !== null && endpointFor(found, method)?.kind === 'paid';
    const mayBePaid = isPaid && hasCredential(new NodeApiRequest(req, res).headers);
    return refuse(app, req, res, requestId, mayBePaid ? unreadBecause(busy) : busy);
  }
  if (req.headers.expect !== undefined) res.writeContinue();
  const arrival = await handleUnpaidCall(app, req, res, requestId, found);
  if (arrival === 'answered') return;
  setHeaders(app, res, requestId);
  const isReading = readingMethods.has(method) && !found;
  if (isReading && (files.isPublic(path) || documents.isHeld(req, path))) {
    await app.throttle.admitUnpaid();
    if (await (files.isPublic(path) ? files.serve(req, res, path) : documents.serve(req, res, path)))
      return countDirect(app, 'page', res.statusCode);
  }
  // Only the body of an MCP message says whether it pays.
  const admitsItself = path === remote.path && method === 'POST';
  const kind = admitsItself ? 'unlimited' : kindOf({ method, path }, found);
  const status = isReading && kind === 'other' ? await documents.statusOf(req, path) : null;
  // A path of the API answers a wrong method with a constant, or a browser with a page.
  const isCounted = kind === 'free' || (kind === 'other' && status !== 200 && (!found || wantsPage(req)));
  if (isCounted) {
    const refusal = await limitCall(app, req, res, path, kind === 'free');
    if (refusal) return refuse(app, req, res, requestId, refusal);
  }
  const isMissing = kind === 'other' && !found && status !== 200;
  if (isMissing && isPlain(path)) {
    await app.throttle.admitUnpaid();
    return answerMissing(inner, req, res, requestId);
  }
  if (arrival === 'free' && !admitsItself && !(await mayBegin(app, req, res, found)))
    return refuse(app, req, res, requestId, new ApiError('service_unavailable', { retryAfterSeconds }));
  if (found) return answerFound(inner, found, req, res);
  if (status === 200 && (await documents.serve(req, res, path)))
    return countDirect(app, 'page', res.statusCode);
  files.compressPage(req, res);
  await framework(req, res);
  countDirect(app, 'page', res.statusCode);
}

/** Sets the headers of every response. Routes use the same id. Unpaid calls are answered before, because setting them costs time. */
function setHeaders({ settings }: ServedApp, res: ServerResponse, requestId: string): void {
  res.setHeader('Request-Id', requestId);
  for (const [name, value] of Object.entries(testHeaders(settings))) res.setHeader(name, value);
}

/** Paths that the framework does not rewrite or redirect before it looks for a route. */
function isPlain(path: string): boolean {
  return (
    /^(\/[\w.~-]+)*\/?$/.test(path) && !path.startsWith('/_next') && (path === '/' || !path.endsWith('/'))
  );
}

/** Answers for a path that does not exist, as the framework's routes do at a much higher price. */
async function answerMissing(
  { app, documents }: Inner,
  req: IncomingMessage,
  res: ServerResponse,
  requestId: string,
): Promise<void> {
  const { method = '' } = req;
  const path = pathOf(req);
  if (!isCall(path) && readingMethods.has(method) && (await documents.serve(req, res, path)))
    return countDirect(app, 'page', res.statusCode);
  if (isCall(path) && method === 'OPTIONS') refuseMethod(app, req, res, requestId, everyMethod);
  else if (isCall(path)) refuse(app, req, res, requestId, pathNotFound(path));
  // As under the framework, a missing page is for its own origin.
  else if (readingMethods.has(method)) refuse(app, req, res, requestId, pathNotFound(path), {});
  else refuseMethod(app, req, res, requestId);
}

function wantsPage({ headers }: IncomingMessage): boolean {
  return preferenceOf(headers.accept) === 'html';
}

async function mayBegin(
  app: ServedApp,
  req: IncomingMessage,
  res: ServerResponse,
  found: ApiPath | null,
): Promise<boolean> {
  if (!isForOperator(found)) return waitForAdmission(app, req, res);
  await app.throttle.admitUnpaid();
  return true;
}

/** Files are read while paid requests wait for something else, not ahead of them. */
async function answerFiles(
  { app, arrivingFiles }: Inner,
  req: IncomingMessage,
  res: ServerResponse,
  requestId: string,
): Promise<void> {
  setHeaders(app, res, requestId);
  if (readingMethods.has(req.method ?? '')) {
    endWhenStalled(app, req, res, app.timings.links.stalledMs);
    await app.throttle.admitUnpaid();
  }
  await handleFilesRequest(app, req, res, { makeRoom: () => arrivingFiles.hold(req, res, fileBytesKept) });
  countDirect(app, 'file', res.statusCode);
}

/** Answers a request to a path of the API. */
async function answerFound(
  { app, explainMethods }: Inner,
  found: ApiPath,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const path = pathOf(req);
  const response = await answerPath(app, found, new NodeApiRequest(req, res), path, explainMethods);
  sendApiResponse(req, res, response, isCall(path) || path === remote.path ? apiHeaders : {});
}

/** Calls of operations, and paths that programs may take for such. */
function isCall(path: string): boolean {
  return path.startsWith('/v1/');
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0] ?? '';
}

/** Answers OPTIONS with the supported methods, other methods with 405. */
function refuseMethod(
  app: ServedApp,
  req: IncomingMessage,
  res: ServerResponse,
  requestId: string,
  allow = allowedAt(findPath(pathOf(req))),
): void {
  setHeaders(app, res, requestId);
  res.setHeader('Allow', allow);
  if (req.method === 'OPTIONS') res.writeHead(204, { ...apiHeaders, ...preflightHeaders }).end();
  else refuse(app, req, res, requestId, methodNotAllowed(allow));
}

function refuse(
  app: ServedApp,
  req: IncomingMessage,
  res: ServerResponse,
  requestId: string,
  error: ApiError,
  headers: Readonly<Record<string, string>> = apiHeaders,
): void {
  app.metrics.errors.inc({ code: error.code });
  countDirect(app, 'refusal', error.status);
  const { retryAfterSeconds: seconds } = error;
  const body = JSON.stringify(errorBody(error, requestId, app.settings.PUBLIC_URL));
  setHeaders(app, res, requestId);
  const closes = isTooLargeToDrop(req);
  res.writeHead(error.status, {
    ...headers,
    'Content-Length': Buffer.byteLength(body),
    'Content-Type': 'application/json',
    'Cache-Control': 'private, no-store',
    ...(seconds === undefined ? {} : { 'Retry-After': seconds }),
    ...(closes ? { Connection: 'close' } : {}),
  });
  if (!closes) return void res.end(body);
  res.write(body);
  // A client that is still sending would lose the response if the connection closed at once. Nothing more is read from it.
  const cancel = app.clock.after(lingerMs, () => res.end());
  whenOver(req, res, cancel);
}
