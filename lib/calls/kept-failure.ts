import { type ApiError, isApiError } from '@/lib/catalog/errors/api-error';
import { keptFailures } from '@/lib/catalog/errors/codes';
import { errorBody } from '@/lib/catalog/errors/error-body';
import type { CallsApp } from './calls-app';
import type { StoredAnswer } from './paid-call';

/** Whether a service reported that a paid call failed for good and its payment is kept. */
export function isKeptFailure(error: unknown): error is ApiError {
  return isApiError(error) && keptFailures.includes(error.code);
}

/** A kept failure as stored with its call: the error body without a request id. */
export function failureAnswer(app: CallsApp, error: ApiError): StoredAnswer {
  const { requestId: _, ...kept } = errorBody(error, '', app.settings.PUBLIC_URL).error;
  return { status: error.status, body: JSON.stringify({ error: kept }) };
}
