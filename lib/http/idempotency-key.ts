import { ApiError, isApiError } from '@/lib/catalog/errors/api-error';
import type { CodeWithPayment } from '@/lib/catalog/errors/codes';
import { idempotencyKey } from '@/lib/catalog/idempotency-key';

/**
 * Reads the caller's idempotency key, from the header (bare, or as the quoted string of the IETF draft) or from the
 * credential (x402's payment-identifier). Both mean the same.
 * @param isRequired when nothing else distinguishes a retry from a second call
 * @throws ApiError invalid_input when the key is malformed, missing where required, or the two differ
 */
export function readIdempotencyKey(
  headers: Pick<Headers, 'get'>,
  fromCredential: string | null,
  isRequired = false,
): string | null {
  const header = headers.get('idempotency-key');
  if (header === null && fromCredential === null && isRequired) {
    throw invalidKey('is required: one key for each thing you buy, the same on every retry');
  }
  if (header === null) return fromCredential;
  const key = /^"(.*)"$/.exec(header)?.[1] ?? header;
  if (!idempotencyKey.safeParse(key).success) throw invalidKey('must be 1 to 255 visible ASCII characters');
  if (fromCredential !== null && fromCredential !== key) {
    throw invalidKey('must equal the payment-identifier of the payment');
  }
  return key;
}

/**
 * The error about an input with what is also wrong with the key, so that the caller can correct both at once.
 * @param readKey throws ApiError invalid_input for a missing or malformed key
 */
export function withKeyIssues(refusal: unknown, readKey: () => unknown): unknown {
  if (!isApiError(refusal) || refusal.payment !== 'none' || refusal.issues.length === 0) return refusal;
  try {
    readKey();
    return refusal;
  } catch (error) {
    if (!isApiError(error)) throw error;
    const { code, reason, example } = refusal;
    // Its payment is `none`, as checked above.
    return new ApiError(code as CodeWithPayment<'none'>, {
      reason,
      example,
      issues: [...refusal.issues, ...error.issues],
    });
  }
}

function invalidKey(rule: string): ApiError<'invalid_input'> {
  return new ApiError('invalid_input', {
    reason: 'invalid_input',
    issues: [{ path: 'Idempotency-Key', rule }],
  });
}
