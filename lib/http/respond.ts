import type { StoredAnswer } from '@/lib/calls/paid-call';
import { ApiError, isApiError } from '@/lib/catalog/errors/api-error';
import { errorBody } from '@/lib/catalog/errors/error-body';
import { newId } from '@/lib/platform/ids';
import type { Platform } from '@/lib/platform/platform';
import type { Settings } from '@/lib/platform/settings';
import type { ApiRequest, ApiResponse } from './api-message';

/** What `respondError` uses. */
export interface RespondDeps extends Pick<Platform, 'problems' | 'metrics'> {
  readonly settings: Pick<Settings, 'PUBLIC_URL'>;
}

/** The id of a request: from our listener if it set one, so that log, header and body agree. */
export function requestIdOf(request: Pick<ApiRequest, 'headers'>): string {
  const id = request.headers.get('request-id');
  return id && /^req_[0-9A-Za-z]{24}$/.test(id) ? id : newId('req');
}

/** A JSON response that no cache may store. */
export function respondJson(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): ApiResponse {
  return respondText({ status, body: JSON.stringify(body) }, headers);
}

/** A response with the exact stored text. */
export function respondText(answer: StoredAnswer, headers: Record<string, string>): ApiResponse {
  return {
    status: answer.status,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'private, no-store', ...headers },
    body: answer.body,
  };
}

/** Turns anything thrown into a response: an ApiError as it is, everything else as a plain 500. */
export function respondError(app: RespondDeps, thrown: unknown, requestId: string): ApiResponse {
  const error = isApiError(thrown) ? thrown : new ApiError('internal_error', { cause: thrown });
  if (error.status >= 500) {
    const { paidCallId, code, cause } = error;
    app.problems.reportRequest('error', { requestId, paidCallId, code, cause }, 'a request failed');
  }
  app.metrics.errors.inc({ code: error.code });
  const headers: Record<string, string> = { ...error.headers };
  if (error.retryAfterSeconds !== undefined) headers['Retry-After'] = String(error.retryAfterSeconds);
  // RFC 9110 11.6.1: a 401 says how to authenticate.
  if (error.status === 401) headers['WWW-Authenticate'] ??= 'Bearer';
  if (error.paidCallId !== undefined) headers['Paid-Call-Id'] = error.paidCallId;
  return respondJson(error.status, errorBody(error, requestId, app.settings.PUBLIC_URL), headers);
}
