import { type ApiPath, endpointFor, paramsIn } from '@/lib/catalog/endpoints';
import type { ApiRequest, ApiResponse } from '@/lib/http/api-message';
import type { ServedApp } from '@/lib/http/http-app';
import { readableElsewhere, respondMethodNotAllowed } from '@/lib/http/method-not-allowed';
import { allowedAt, respondNotFound } from '@/lib/http/paths-of-api';
import { preflightHeaders } from '@/lib/http/preflight-headers';
import { requestIdOf } from '@/lib/http/respond';

/**
 * Makes the page for a person who opened the URL of a call in a browser.
 * @param allow the methods that the path supports
 */
export type ExplainMethods = (request: ApiRequest, allow: string, status: 404 | 405) => Promise<ApiResponse>;

/**
 * Answers a request to a path of the API: with its endpoint, or for other methods with the supported ones.
 * @param found the path of `request.url` without the query
 */
export async function answerPath(
  app: ServedApp,
  found: ApiPath,
  request: ApiRequest,
  path: string,
  explain: ExplainMethods,
): Promise<ApiResponse> {
  const { method } = request;
  const endpoint = endpointFor(found, method);
  if (endpoint) return app.answer(endpoint, request, paramsIn(found, path));
  return answerOtherMethod(app, request, allowedAt(found), explain, isHidden(found, method) ? 404 : 405);
}

/** Answers a method that a path does not handle: OPTIONS with the supported ones, every other one with an error. */
export async function answerOtherMethod(
  app: ServedApp,
  request: ApiRequest,
  allow: string,
  explain: ExplainMethods,
  status: 404 | 405 = 405,
): Promise<ApiResponse> {
  if (request.method === 'OPTIONS') {
    const headers = {
      ...readableElsewhere(request),
      ...preflightHeaders,
      Allow: allow,
      'Request-Id': requestIdOf(request),
    };
    return { status: 204, headers, body: null };
  }
  if (isBrowser(request)) return explain(request, allow, status);
  return status === 404 ? respondNotFound(app, request) : respondMethodNotAllowed(app, request, allow);
}

function isHidden({ endpoints }: ApiPath, method: string): boolean {
  return endpoints.some(
    (one) =>
      one.kind === 'paid' &&
      one.rail === 'x402' &&
      one.operation.hiddenMethods?.some((hidden) => hidden === method),
  );
}

/** Whether a person opened the URL of a call in a browser. */
function isBrowser({ method, headers }: ApiRequest): boolean {
  return method === 'GET' && (headers.get('accept') ?? '').includes('text/html');
}
