import type { z } from 'zod';
import { env } from '@/lib/platform/settings';
import type { ApiError } from './api-error';
import { errors } from './codes';
import type { errorBody as errorBodySchema } from './schema';

/** The body of every error answer. */
export type ErrorBody = z.output<typeof errorBodySchema>;

/** What a refusal says to the caller; its `cause` stays behind. */
export function errorBody(error: ApiError, requestId: string): ErrorBody {
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
      docs: `${env().PUBLIC_URL}/docs/errors#${error.code}`,
    },
  };
}
