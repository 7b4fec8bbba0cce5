import { operationsAt } from '@/lib/catalog/addresses';
import { ApiError } from '@/lib/errors/api-error';
import type { HttpApp } from '@/lib/http/app';
import { type ApiRequest, type ApiResponse, withHeaders } from './api-message';
import { requestIdOf, respondError } from './respond';

/** The value of `Allow`: every path answers OPTIONS. */
export function allowHeader(methods: readonly string[]): string {
  return [...new Set([...methods, 'OPTIONS'])].sort().join(', ');
}

/**
 * The `Allow` header of a path. Paths outside the catalog are documents and pages. GET implies HEAD, except for paid
 * operations, because a HEAD would be charged and return nothing.
 */
export function allowedAt(path: string): string {
  const called = operationsAt(path);
  if (called.length === 0) return allowHeader(['GET', 'HEAD']);
  const free = called.filter(({ method, operation }) => method === 'GET' && !('price' in operation));
  return allowHeader([...called.map(({ method }) => method), ...(free.length > 0 ? ['HEAD'] : [])]);
}

/** The error for a method that a path does not support. */
export function methodNotAllowed(allow: string): ApiError {
  return new ApiError('method_not_allowed', {
    message: `Use ${usable(allow)} for this URL. Nothing was charged.`,
  });
}

/** The methods that do something, without OPTIONS: `GET or HEAD`. */
function usable(allow: string): string {
  const methods = allow.split(', ').filter((method) => method !== 'OPTIONS');
  return methods.length > 0 ? methods.join(' or ') : allow;
}

/** A 405 with `Allow` (RFC 9110, 15.5.6). */
export function respondMethodNotAllowed(app: HttpApp, request: ApiRequest, allow: string): ApiResponse {
  return withHeaders(respondRefusal(app, request, methodNotAllowed(allow)), { Allow: allow });
}

/** A 404, for every method. */
export function respondNotFound(app: HttpApp, request: ApiRequest): ApiResponse {
  return respondRefusal(app, request, new ApiError('not_found'));
}

/** An error as the response to a request. */
export function respondRefusal(app: HttpApp, request: ApiRequest, refusal: ApiError): ApiResponse {
  const requestId = requestIdOf(request);
  return withHeaders(respondError(app, refusal, requestId), { 'Request-Id': requestId });
}
