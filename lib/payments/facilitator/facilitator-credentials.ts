import { randomBytes, randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import type { Network } from '@/lib/payments/network-offers';
import type { KeyIssuer, SigningKey } from '@/lib/platform/facilitator-signing-key';
import type { Platform } from '@/lib/platform/platform';

/** Each token is made for one request, which is sent immediately. This is the longest lifetime that the platforms accept. */
const tokenLifeSeconds = 120;

/** How a server authenticates itself to a facilitator. */
export interface Credentials {
  /** @returns the `Authorization` header for one request; null when no credentials are configured */
  authorize(request: FacilitatorRequest): Promise<string | null>;
}

export interface FacilitatorRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
}

/** The credentials for the facilitator of a network: the network's own, otherwise those for all networks. */
export function facilitatorCredentials(
  { settings, clock }: Pick<Platform, 'settings' | 'clock'>,
  { setting }: Pick<Network, 'setting'>,
): Credentials {
  const found = settings.FACILITATOR_KEY.get(setting);
  if (!found) return { authorize: async () => null };
  if ('token' in found) return { authorize: async () => `Bearer ${found.token}` };
  const { id, key } = found;
  return { authorize: async (request) => `Bearer ${await makeToken(id, key, request, clock.date())}` };
}

type TokenParts = (request: FacilitatorRequest, seconds: number) => { header: object; claims: object };

const tokenParts: Readonly<Record<KeyIssuer, TokenParts>> = {
  /** Valid for one method, host and path and, because of its nonce, for one request. */
  coinbase: ({ method, url }, seconds) => {
    const { host, pathname } = new URL(url);
    const uris = [`${method} ${host}${pathname}`];
    return {
      header: { nonce: randomBytes(16).toString('hex') },
      claims: { iss: 'cdp', aud: ['cdp_service'], uris, nbf: seconds },
    };
  },
  payai: () => ({ header: {}, claims: { iss: 'payai-merchant', jti: randomUUID() } }),
};

function makeToken(
  id: string,
  { issuer, algorithm, key }: SigningKey,
  request: FacilitatorRequest,
  now: Date,
): Promise<string> {
  const seconds = Math.floor(now.getTime() / 1_000);
  const { header, claims } = tokenParts[issuer](request, seconds);
  return new SignJWT({ ...claims })
    .setProtectedHeader({ ...header, alg: algorithm, kid: id, typ: 'JWT' })
    .setSubject(id)
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + tokenLifeSeconds)
    .sign(key);
}
