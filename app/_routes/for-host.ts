import { Readable } from 'node:stream';
import { currentApp } from '@/lib/app/current';
import { ApiError } from '@/lib/catalog/errors/api-error';
import { testHeaders } from '@/lib/catalog/test-service';
import { type ApiRequest, type ApiResponse, toWebResponse, withHeaders } from '@/lib/http/api-message';
import { answerFileRequest } from '@/lib/http/files/files-origin';
import { respondRefusal } from '@/lib/http/method-not-allowed';
import { isReadableUrl } from '@/lib/http/readable-url';

/** The framework passes no parameters to routes without dynamic segments. */
export interface RouteContext {
  readonly params: Promise<Record<string, string | string[] | undefined> | undefined>;
}

/** What the framework calls. */
export type WebHandler = (request: Request, context: RouteContext) => Promise<Response>;

/** A handler of a route file that answers with plain values. */
export function answering(answer: (request: ApiRequest) => Promise<ApiResponse>): WebHandler {
  return async (request) =>
    toWebResponse(withHeaders(await answer(request), testHeaders(currentApp().settings)));
}

/**
 * A handler that does what our listener does before it looks at a path. Function hosts have no listener: requests to both
 * origins reach the routes there, and a page of ours must never be served on the origin of strangers' files.
 */
export function behindHost(handler: WebHandler): WebHandler {
  return (request, context) => {
    if (isForFiles(request)) return answerFiles(request);
    return isReadableUrl(request.url) ? handler(request, context) : refuseUrl(request, context);
  };
}

const refuseUrl = answering(async (request) =>
  respondRefusal(currentApp(), request, new ApiError('malformed_request')),
);

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
