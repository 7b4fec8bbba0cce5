import { type ApiError, isApiError } from '@/lib/errors/api-error';
import { keptFailures } from '@/lib/errors/codes';
import { errorBody } from '@/lib/errors/error-body';
import type { HttpApp } from '@/lib/http/app';
import type { StoredAnswer } from '@/lib/ledger/paid-call';
import { respondText } from './respond';

/** Whether a service has said that a paid call came to nothing for good, and that its payment is kept. */
export function isKeptFailure(error: unknown): error is ApiError {
  return isApiError(error) && keptFailures.includes(error.code);
}

/** A kept failure as it is stored with its call: the error body, but for the id of the request that it answers. */
export function failureAnswer(app: HttpApp, error: ApiError): StoredAnswer {
  const { requestId: _, ...kept } = errorBody(error, '', app.settings.PUBLIC_URL).error;
  return { status: error.status, body: JSON.stringify({ error: kept }) };
}

/** Answers a request with the failure that its call was kept with: the same to everyone, but for the request's id. */
export function respondFailure(
  { status, body }: StoredAnswer,
  requestId: string,
  headers: Record<string, string>,
): Response {
  const { error } = JSON.parse(body) as { error: object };
  return respondText({ status, body: JSON.stringify({ error: { ...error, requestId } }) }, headers);
}
