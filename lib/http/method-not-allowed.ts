import { ApiError } from '@/lib/catalog/errors/api-error';
import { methodWords } from '@/lib/catalog/errors/method-words';
import apiHeaders from './api-headers.json' with { type: 'json' };
import { type ApiRequest, type ApiResponse, withHeaders } from './api-message';
import { type RespondDeps, requestIdOf, respondError } from './respond';

/** The value of `Allow`: every path answers OPTIONS. */
export function allowHeader(methods: readonly string[]): string {
  return [...new Set([...methods, 'OPTIONS'])].sort().join(', ');
}

/** The error for a method that a path does not support. */
export function methodNotAllowed(allow: string): ApiError {
  return new ApiError('method_not_allowed', { message: methodWords(allow) });
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

/** An error as the response to a request. */
export function respondRefusal(app: RespondDeps, request: ApiRequest, refusal: ApiError): ApiResponse {
  const requestId = requestIdOf(request);
  return withHeaders(respondError(app, refusal, requestId), { 'Request-Id': requestId });
}
