import { operationsAt } from '@/lib/catalog/addresses';
import { ApiError } from '@/lib/errors/api-error';
import type { HttpApp } from '@/lib/http/app';
import { requestIdOf, respondError } from './respond';

/** The value of `Allow`: every path answers OPTIONS. */
export function allowHeader(methods: readonly string[]): string {
  return [...new Set([...methods, 'OPTIONS'])].sort().join(', ');
}

/**
 * What a path of the catalog allows; paths outside of it are documents and pages. What answers GET answers HEAD, unless it
 * is paid for: HEAD would leave out what was bought.
 */
export function allowedAt(path: string): string {
  const called = operationsAt(path);
  if (called.length === 0) return allowHeader(['GET', 'HEAD']);
  const free = called.filter(({ method, operation }) => method === 'GET' && !('price' in operation));
  return allowHeader([...called.map(({ method }) => method), ...(free.length > 0 ? ['HEAD'] : [])]);
}

/** The refusal of a method that an address does not take. */
export function methodNotAllowed(allow: string): ApiError {
  return new ApiError('method_not_allowed', {
    message: `This URL does not support this method. It supports ${allow}. Nothing was charged.`,
  });
}

/** The same as an answer: 405 with `Allow` (RFC 9110, 15.5.6). */
export function respondMethodNotAllowed(app: HttpApp, request: Request, allow: string): Response {
  const response = respondRefusal(app, request, methodNotAllowed(allow));
  response.headers.set('Allow', allow);
  return response;
}

/** The answer where there is nothing, whatever the method. */
export function respondNotFound(app: HttpApp, request: Request): Response {
  return respondRefusal(app, request, new ApiError('not_found'));
}

function respondRefusal(app: HttpApp, request: Request, refusal: ApiError): Response {
  const requestId = requestIdOf(request);
  const response = respondError(app, refusal, requestId);
  response.headers.set('Request-Id', requestId);
  return response;
}
