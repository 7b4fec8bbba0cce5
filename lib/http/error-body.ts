import { type ErrorCode, errors, type NextStep, type PaymentOutcome } from '@/lib/catalog/errors';
import { env } from '@/lib/env';
import type { ApiError, Issue } from './api-error';

/** The body of every error answer (DESIGN 3.4). */
export interface ErrorBody {
  readonly error: {
    readonly code: ErrorCode;
    readonly reason?: string;
    readonly message: string;
    readonly issues?: readonly Issue[];
    readonly payment: PaymentOutcome;
    readonly retry: NextStep;
    readonly paidCallId?: string;
    readonly requestId: string;
    readonly docs: string;
  };
}

/** What a refusal says to the caller; its `cause` stays behind. */
export function errorBody(error: ApiError, requestId: string): ErrorBody {
  return {
    error: {
      code: error.code,
      reason: error.reason,
      message: error.message,
      issues: error.issues.length > 0 ? error.issues : undefined,
      payment: error.payment,
      retry: errors[error.code].retry,
      paidCallId: error.paidCallId,
      requestId,
      docs: `${env().PUBLIC_URL}/docs/errors#${error.code}`,
    },
  };
}
