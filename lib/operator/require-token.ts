import { ApiError } from '@/lib/errors/api-error';
import type { ApiRequest } from '@/lib/http/api-message';
import { clientAddressOf } from '@/lib/http/client-address';
import { isSameSecret } from '@/lib/platform/same-secret';
import type { OperatorApp } from './app';

const scheme = 'Bearer ';

/**
 * Requires a secret from the settings as a bearer token. Wrong tokens are counted by address, together with those entered at
 * the console, so that this path allows no additional guesses.
 * @throws ApiError unauthorized (401), rate_limited (429)
 */
export async function requireToken(app: OperatorApp, request: ApiRequest, secret: string): Promise<void> {
  const sent = request.headers.get('authorization') ?? '';
  // Without the scheme no token can be right, so this does not count as a guess.
  if (!sent.startsWith(scheme)) throw new ApiError('unauthorized');
  const given = sent.slice(scheme.length);
  const address = clientAddressOf(app, request);
  const { headers, refusal } = await app.rateLimits.checkToken(address, given);
  if (refusal) {
    const { retryAfterSeconds } = refusal;
    throw new ApiError('rate_limited', { retryAfterSeconds, headers });
  }
  const isRight = isSameSecret(given, secret);
  await app.rateLimits.noteToken(address, given, isRight ? 200 : 401);
  if (isRight) return;
  app.log.warn({ address }, `a wrong token was sent to ${new URL(request.url).pathname}`);
  throw new ApiError('unauthorized');
}
