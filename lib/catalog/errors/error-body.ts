import type { z } from 'zod';
import type { ApiError } from './api-error';
import { errors } from './codes';
import type { errorBody as errorBodySchema } from './schema';

/** The body of every error response. */
export type ErrorBody = z.output<typeof errorBodySchema>;

/**
 * The error body that the caller gets; the error's `cause` is not part of it.
 * @param publicUrl the service's URL, for the link to the error's description
 */
export function errorBody(error: ApiError, requestId: string, publicUrl: string): ErrorBody {
  return {
    error: {
      code: error.code,
      reason: error.reason,
      message: error.message,
      issues: error.issues.length > 0 ? [...error.issues] : undefined,
      example: error.example,
      account: error.account,
      payment: error.payment,
      retry: errors[error.code].retry,
      paidCallId: error.paidCallId,
      requestId,
      docs: `${publicUrl}/docs/errors#${error.code}`,
    },
  };
}
