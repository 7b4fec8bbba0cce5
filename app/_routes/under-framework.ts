import { Readable } from 'node:stream';
import { currentApp } from '@/lib/app/current';
import { ApiError, isApiError } from '@/lib/catalog/errors/api-error';
import { remote } from '@/lib/catalog/remote';
import { testHeaders } from '@/lib/catalog/test-service';
import { type ApiRequest, type ApiResponse, toWebResponse, withHeaders } from '@/lib/http/api-message';
import { bytesOf } from '@/lib/http/body';
import { kindOf } from '@/lib/http/call-limits';
import { clientAddressOf } from '@/lib/http/client-address';
import { answerFileRequest } from '@/lib/http/files/files-origin';
import { FreeAdmission } from '@/lib/http/free-admission';
import { respondRefusal } from '@/lib/http/method-not-allowed';
import { isReadableUrl } from '@/lib/http/readable-url';

/** The framework passes no parameters to routes without dynamic segments. */
export interface RouteContext {
  readonly params: Promise<Record<string, string | string[] | undefined> | undefined>;
}

/** What the framework calls. */
export type WebHandler = (request: Request, context: RouteContext) => Promise<Response>;

/** A handler of a route file that answers with plain values. */
export function answering(answer: (request: ApiRequest) => Promise<ApiResponse>) {
  return async (request: Request): Promise<Response> =>
    toWebResponse(withHeaders(await answer(request), testHeaders(currentApp().settings)));
}

/**
 * A handler that does what our listener does before it looks at a path. Where it does not listen, requests to both
 * origins reach the routes, and a page of ours must never be served on the origin of strangers' files.
 */
export function behindHost(handler: WebHandler): WebHandler {
  return (request, context) => {
    if (isForFiles(request)) return answerFiles(request);
    if (!isReadableUrl(request.url)) return refuse(request, new ApiError('malformed_request'));
    const cameThroughListener = request.headers.get(currentApp().clientAddressHeader) !== null;
    return cameThroughListener ? handler(request, context) : admit(request, context, handler);
  };
}

/** Counts a free call for the rate limits, and lets it begin in its turn. Paths that do not exist are counted too. */
async function admit(request: Request, context: RouteContext, handler: WebHandler): Promise<Response> {
  const app = currentApp();
  const { method } = request;
  const path = new URL(request.url).pathname;
  const kind = kindOf({ method, path });
  // Only the body of an MCP message says whether it pays.
  if (kind === 'unlimited' || path === remote.path) return handler(request, context);
  const missing = kind === 'other' ? await handler(request, context) : null;
  if (missing && missing.status < 400) return missing;
  const admission = new FreeAdmission(app, clientAddressOf(app, request));
  try {
    await admission.take(bytesOf({ header: (name) => request.headers.get(name) }));
    if (missing) return missing;
    const { status, headers: own, body } = await handler(request, context);
    // The headers of a limit that refused the call say more than those of a limit that it stayed within.
    const headers = new Headers(own);
    for (const [name, value] of Object.entries(admission.headers))
      if (!headers.has(name)) headers.set(name, value);
    return new Response(body, { status, headers });
  } catch (error) {
    // Handlers answer their own errors.
    if (!isApiError(error)) throw error;
    return refuse(request, error);
  } finally {
    admission.end();
  }
}

function refuse(request: Request, error: ApiError): Promise<Response> {
  return answering(async () => respondRefusal(currentApp(), request, error))(request);
}

function isForFiles({ headers }: Request): boolean {
  return headers.get('host') === new URL(currentApp().settings.FILES_URL).host;
}

async function answerFiles({ method, url, headers: given, body: sent, signal }: Request): Promise<Response> {
  const { pathname, search } = new URL(url);
  const { status, headers, body } = await answerFileRequest(currentApp(), {
    method,
    url: pathname + search,
    header: (name) => given.get(name),
    body: () => Readable.from(sent ?? []),
    isGone: () => signal.aborted,
  });
  // Node's streams and the platform's have the same elements, under types of their own.
  const stream = body instanceof Readable ? (Readable.toWeb(body) as ReadableStream<Uint8Array>) : body;
  return new Response(stream, { status, headers: { ...headers, ...testHeaders(currentApp().settings) } });
}
