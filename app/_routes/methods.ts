import { Readable } from 'node:stream';
import { currentApp } from '@/lib/app/current';
import { ApiError } from '@/lib/catalog/errors/api-error';
import type { ApiRequest, ApiResponse } from '@/lib/http/api-message';
import { answerFileRequest } from '@/lib/http/files/files-origin';
import {
  allowHeader,
  readableElsewhere,
  respondMethodNotAllowed,
  respondNotFound,
  respondRefusal,
} from '@/lib/http/method-not-allowed';
import { isReadableUrl } from '@/lib/http/readable-url';
import { requestIdOf } from '@/lib/http/respond';
import { routeHandler, type WebHandler } from './route-handler';

const allMethods = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'] as const;
type Method = (typeof allMethods)[number];

/**
 * The exports of a route file: its handlers, and for every other method a 405 that lists the allowed ones; the framework's
 * own 405 is empty. HEAD of a route with GET is left to the framework, which calls GET and drops the body. That would be
 * wrong for a paid call.
 * @param options.hidden methods that get 404 instead of 405
 * @param options.isPriced whether GET is paid, so that HEAD is rejected
 */
export function methods(
  handlers: Readonly<Partial<Record<Method, WebHandler>>>,
  { hidden = [], isPriced = false }: { hidden?: readonly Method[]; isPriced?: boolean } = {},
): Partial<Record<Method, WebHandler>> {
  const isHeadTaken = handlers.GET !== undefined && !isPriced;
  const allow = allowHeader([...Object.keys(handlers), ...(isHeadTaken ? ['HEAD'] : [])]);
  const refuse = routeHandler(async (request) => {
    const status = hidden.some((method) => method === request.method) ? 404 : 405;
    if (isBrowser(request)) return explain(request, allow, status);
    return status === 404
      ? respondNotFound(currentApp(), request)
      : respondMethodNotAllowed(currentApp(), request, allow);
  });
  const respondToOptions = routeHandler(async (request) => ({
    status: 204,
    headers: { ...readableElsewhere(request), Allow: allow, 'Request-Id': requestIdOf(request) },
    body: null,
  }));
  const missing = allMethods
    .filter((method) => handlers[method] === undefined && !(method === 'HEAD' && isHeadTaken))
    .map((method): [string, WebHandler] => [method, method === 'OPTIONS' ? respondToOptions : refuse]);
  const all: [string, WebHandler][] = [...Object.entries(handlers), ...missing];
  return Object.fromEntries(all.map(([method, handler]) => [method, besideFiles(withReadableUrl(handler))]));
}

/** Refuses what our listener refuses before it looks for a route. Function hosts have no listener. */
function withReadableUrl(handler: WebHandler): WebHandler {
  const handle: WebHandler = (request, context) =>
    isReadableUrl(request.url) ? handler(request, context) : refuseUrl(request, context);
  return Object.assign(handle, handler);
}

const refuseUrl = routeHandler(async (request) =>
  respondRefusal(currentApp(), request, new ApiError('malformed_request')),
);

/** Whether a person opened the URL of a call in a browser. */
function isBrowser({ method, headers }: ApiRequest): boolean {
  return method === 'GET' && (headers.get('accept') ?? '').includes('text/html');
}

/** Loaded only when needed, because API routes render nothing else. */
async function explain(request: ApiRequest, allow: string, status: 404 | 405): Promise<ApiResponse> {
  const { explainMethods } = await import('@/app/_site/explain-methods');
  return explainMethods(request, allow, status);
}

/**
 * A handler that gives way to the files origin. Where our listener is not in front of the framework, requests to both
 * origins reach the routes, and a page of ours must never be served on the origin of strangers' files.
 */
function besideFiles(handler: WebHandler): WebHandler {
  const handle: WebHandler = (request, context) =>
    isForFiles(request) ? answerFiles(request) : handler(request, context);
  // Keeps the function that our listener calls instead.
  return Object.assign(handle, handler);
}

function isForFiles({ headers }: Request): boolean {
  return headers.get('host') === new URL(currentApp().settings.FILES_URL).host;
}

async function answerFiles({ method, url, headers: given }: Request): Promise<Response> {
  const header = (name: string) => given.get(name);
  const { status, headers, body } = await answerFileRequest(currentApp(), {
    method,
    path: new URL(url).pathname,
    header,
  });
  // Node's streams and the platform's have the same elements, under types of their own.
  const stream = body instanceof Readable ? (Readable.toWeb(body) as ReadableStream<Uint8Array>) : body;
  return new Response(stream, { status, headers });
}
