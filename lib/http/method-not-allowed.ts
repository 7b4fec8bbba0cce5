import { type ApiPath, endpointFor, nearestEndpoints } from '@/lib/catalog/endpoints';
import { ApiError } from '@/lib/catalog/errors/api-error';
import { methodWords } from '@/lib/catalog/errors/method-words';
import apiHeaders from './api-headers.json' with { type: 'json' };
import { type ApiRequest, type ApiResponse, withHeaders } from './api-message';
import { type RespondDeps, requestIdOf, respondError } from './respond';

/** The value of `Allow`: every path answers OPTIONS. */
export function allowHeader(methods: readonly string[]): string {
  return [...new Set([...methods, 'OPTIONS'])].sort().join(', ');
}

/** The `Allow` header of paths among the calls that do not exist: each answers every method with 404. */
export const everyMethod = allowHeader(['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT']);

/**
 * The `Allow` header of a path; null stands for documents, pages and paths that do not exist. GET implies HEAD, except for
 * paid operations, because a HEAD would be charged and return nothing.
 */
export function allowedAt(found: ApiPath | null): string {
  if (!found) return allowHeader(['GET', 'HEAD']);
  const methods = found.endpoints.map(({ method }) => method);
  return allowHeader(endpointFor(found, 'HEAD') ? [...methods, 'HEAD'] : methods);
}

/** The error for a method that a path does not support. */
export function methodNotAllowed(allow: string): ApiError {
  return new ApiError('method_not_allowed', { message: methodWords(allow) });
}

/** The error for a path that does not exist. It names the path that was probably meant. */
export function pathNotFound(path: string): ApiError {
  const [meant] = nearestEndpoints(path);
  if (!meant) return new ApiError('not_found');
  return new ApiError('not_found', {
    message: `There is nothing at this URL. Did you mean ${meant.method} ${meant.path}? Nothing was charged.`,
  });
}

/**
 * The headers with which pages of other origins can read what a path says about its methods. Responses of the API get them
 * from the server, and another of each would spoil them.
 */
export function readableElsewhere({ url }: Pick<ApiRequest, 'url'>): Readonly<Record<string, string>> {
  return /^\/(v1\/|mcp$)/.test(new URL(url).pathname) ? {} : apiHeaders;
}

/** A 405 with `Allow` (RFC 9110, 15.5.6). */
export function respondMethodNotAllowed(app: RespondDeps, request: ApiRequest, allow: string): ApiResponse {
  const refusal = respondRefusal(app, request, methodNotAllowed(allow));
  return withHeaders(refusal, { ...readableElsewhere(request), Allow: allow });
}

/** A 404, for every method. */
export function respondNotFound(app: RespondDeps, request: ApiRequest): ApiResponse {
  return respondRefusal(app, request, pathNotFound(new URL(request.url).pathname));
}

/** An error as the response to a request. */
export function respondRefusal(app: RespondDeps, request: ApiRequest, refusal: ApiError): ApiResponse {
  const requestId = requestIdOf(request);
  return withHeaders(respondError(app, refusal, requestId), { 'Request-Id': requestId });
}
