import { type ApiError, isApiError } from '@/lib/catalog/errors/api-error';
import type { ErrorCode } from '@/lib/catalog/errors/codes';
import type { RateLimits } from './rate-limit';

const ofWrongTokens: readonly ErrorCode[] = ['account_token_wrong', 'read_token_wrong'];

/**
 * Counts an error if it is about a wrong token.
 * @returns the error to answer with: rate_limited (429) once too many wrong tokens came from the address
 */
export async function countIfWrongToken(
  { rateLimits }: { readonly rateLimits: Pick<RateLimits, 'countWrongToken'> },
  address: string,
  thrown: unknown,
): Promise<unknown> {
  if (!isWrongToken(thrown)) return thrown;
  const { refusal } = await rateLimits.countWrongToken(address);
  return refusal ?? thrown;
}

function isWrongToken(thrown: unknown): thrown is ApiError {
  return isApiError(thrown) && ofWrongTokens.includes(thrown.code);
}
