import { ApiError } from '@/lib/errors/api-error';
import type { CodeWithPayment } from '@/lib/errors/codes';
import type { JobOutcome } from './pool';

/** What waits is done within a few seconds. */
const retryAfterSeconds = 2;

/**
 * What a job returned.
 * @param invalid the code for an input that cannot be checked in time
 * @throws ApiError that code (400), service_unavailable (503) when too much waits already, internal_error (500)
 */
export function resultOf<Result>(outcome: JobOutcome<Result>, invalid: CodeWithPayment<'none'>): Result {
  switch (outcome.kind) {
    case 'done':
      return outcome.result;
    case 'over_budget': {
      const issues = [{ path: 'body', rule: 'takes too long to check: make it shorter or simpler' }];
      throw new ApiError(invalid, { reason: 'invalid_input', issues });
    }
    case 'full':
      throw new ApiError('service_unavailable', { retryAfterSeconds });
    case 'failed':
      throw new ApiError('internal_error', { cause: outcome.cause });
  }
}
