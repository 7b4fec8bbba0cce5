import { type ApiPath, endpointFor, nearestEndpoints } from '@/lib/catalog/endpoints';
import { ApiError } from '@/lib/catalog/errors/api-error';
import type { ApiRequest, ApiResponse } from './api-message';
import { allowHeader, respondRefusal } from './method-not-allowed';
import type { RespondDeps } from './respond';

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

/** The error for a path that does not exist. It names the path that was probably meant. */
export function pathNotFound(path: string): ApiError {
  const [meant] = nearestEndpoints(path);
  if (!meant) return new ApiError('not_found');
  return new ApiError('not_found', {
    message: `There is nothing at this URL. Did you mean ${meant.method} ${meant.path}? Nothing was charged.`,
  });
}

/** A 404, for every method. */
export function respondNotFound(app: RespondDeps, request: ApiRequest): ApiResponse {
  return respondRefusal(app, request, pathNotFound(new URL(request.url).pathname));
}
