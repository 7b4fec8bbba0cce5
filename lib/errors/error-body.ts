import type { z } from 'zod';
import type { ApiError } from './api-error';
import { errors } from './codes';
import type { errorBody as errorBodySchema } from './schema';

/** The body of every error answer. */
export type ErrorBody = z.output<typeof errorBodySchema>;

/**
 * What a refusal says to the caller; its `cause` stays behind.
 * @param publicUrl of the service, whose docs describe the code
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
