import { ApiError } from '@/lib/catalog/errors/api-error';
import type { ApiRequest } from '@/lib/http/api-message';
import { clientAddressOf } from '@/lib/http/client-address';
import type { RateLimits } from '@/lib/http/rate-limit';
import type { Platform } from '@/lib/platform/platform';
import { isSameSecret } from '@/lib/platform/same-secret';

interface RequireTokenDeps extends Pick<Platform, 'settings' | 'log'> {
  readonly rateLimits: RateLimits;
  readonly clientAddressHeader: string;
}

const scheme = 'Bearer ';

/**
 * Requires a secret from the settings as a bearer token. Wrong tokens are counted by address, together with those entered at
 * the console. The right one is always accepted, whatever came from its address before.
 * @throws ApiError unauthorized (401), rate_limited (429)
 */
export async function requireToken(
  app: RequireTokenDeps,
  request: ApiRequest,
  secret: string,
): Promise<void> {
  const sent = request.headers.get('authorization') ?? '';
  // Without the scheme no token can be right, so this does not count as a guess.
  if (!sent.startsWith(scheme)) throw new ApiError('unauthorized');
  const given = sent.slice(scheme.length);
  const address = clientAddressOf(app, request);
  if (isSameSecret(given, secret)) return;
  const { refusal } = await app.rateLimits.countWrongToken(address);
  if (refusal) throw refusal;
  app.log.warn({ address }, `a wrong token was sent to ${new URL(request.url).pathname}`);
  throw new ApiError('unauthorized');
}
