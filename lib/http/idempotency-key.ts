import { idempotencyKey } from '@/lib/catalog/idempotency-key';
import { ApiError } from '@/lib/errors/api-error';

/**
 * Reads the caller's idempotency key, from the header (bare, or as the quoted string of the IETF draft) or from the
 * credential (x402's payment-identifier). Both mean the same.
 * @param isRequired when nothing else distinguishes a retry from a second call
 * @throws ApiError invalid_input when the key is malformed, missing where required, or the two differ
 */
export function readIdempotencyKey(
  headers: Headers,
  fromCredential: string | null,
  isRequired = false,
): string | null {
  const header = headers.get('idempotency-key');
  if (header === null && fromCredential === null && isRequired) {
    throw invalidKey('is required: a random value of your own, the same for every retry of this call');
  }
  if (header === null) return fromCredential;
  const key = /^"(.*)"$/.exec(header)?.[1] ?? header;
  if (!idempotencyKey.safeParse(key).success) throw invalidKey('must be 1 to 255 visible ASCII characters');
  if (fromCredential !== null && fromCredential !== key) {
    throw invalidKey('must equal the payment-identifier of the payment');
  }
  return key;
}

function invalidKey(rule: string): ApiError<'invalid_input'> {
  return new ApiError('invalid_input', {
    reason: 'invalid_input',
    issues: [{ path: 'Idempotency-Key', rule }],
  });
}
