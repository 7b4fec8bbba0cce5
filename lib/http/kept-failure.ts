import { type ApiError, isApiError } from '@/lib/errors/api-error';
import { keptFailures } from '@/lib/errors/codes';
import { errorBody } from '@/lib/errors/error-body';
import type { HttpApp } from '@/lib/http/app';
import type { StoredAnswer } from '@/lib/ledger/stored-answer';
import type { ApiResponse } from './api-message';
import { respondText } from './respond';

/** Whether a service reported that a paid call failed for good and its payment is kept. */
export function isKeptFailure(error: unknown): error is ApiError {
  return isApiError(error) && keptFailures.includes(error.code);
}

/** A kept failure as stored with its call: the error body without a request id. */
export function failureAnswer(app: HttpApp, error: ApiError): StoredAnswer {
  const { requestId: _, ...kept } = errorBody(error, '', app.settings.PUBLIC_URL).error;
  return { status: error.status, body: JSON.stringify({ error: kept }) };
}

/** Answers with a stored failure: the same for every request, except the request id. */
export function respondFailure(
  { status, body }: StoredAnswer,
  requestId: string,
  headers: Record<string, string>,
): ApiResponse {
  const { error } = JSON.parse(body) as { error: object };
  return respondText({ status, body: JSON.stringify({ error: { ...error, requestId } }) }, headers);
}
