import { generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { jwtVerify } from 'jose';
import type { Check } from './facilitator';

/** An API key for a facilitator, as a platform issues it to an operator. */
export interface ApiKey {
  readonly what: string;
  readonly id: string;
  readonly secret: string;
  readonly publicKey: KeyObject;
  readonly issuer: string;
}

function coinbaseEd25519(): ApiKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { d = '', x = '' } = privateKey.export({ format: 'jwk' });
  const secret = Buffer.concat([d, x].map((part) => Buffer.from(part, 'base64url'))).toString('base64');
  return { what: 'an Ed25519 key of Coinbase', id: randomUUID(), secret, publicKey, issuer: 'cdp' };
}

function coinbaseEs256(): ApiKey {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  // On one line, as in the file that the platform offers for download.
  const secret = privateKey.export({ format: 'pem', type: 'sec1' }).toString().replaceAll('\n', '\\n');
  const id = `organizations/${randomUUID()}/apiKeys/${randomUUID()}`;
  return { what: 'a P-256 key of Coinbase', id, secret, publicKey, issuer: 'cdp' };
}

function payaiEd25519(): ApiKey {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const der = privateKey.export({ format: 'der', type: 'pkcs8' });
  const secret = `payai_sk_${der.toString('base64')}`;
  return { what: 'a key of PayAI', id: randomUUID(), secret, publicKey, issuer: 'payai-merchant' };
}

/** One key of each form. */
export const newApiKeys = (): ApiKey[] => [coinbaseEd25519(), coinbaseEs256(), payaiEd25519()];

/**
 * Checks tokens as the platforms do: the signature of the named key, issuer and subject, a lifetime of at most two minutes, and
 * that no token is used twice. Coinbase tokens must name the method, host and path of the request.
 */
export function checkTokensOf(keys: readonly ApiKey[]): Check {
  const seen = new Set<string>();
  return async (request) => {
    const token = /^Bearer (\S+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
    try {
      const { payload, protectedHeader, key } = await verify(token, keys);
      const once = key.issuer === 'cdp' ? protectedHeader.nonce : payload.jti;
      if (typeof once !== 'string' || once.length < 32 || seen.has(once)) return false;
      seen.add(once);
      const lifeSeconds = (payload.exp ?? Number.POSITIVE_INFINITY) - (payload.iat ?? 0);
      return lifeSeconds <= 120 && (key.issuer !== 'cdp' || namesRequest(payload.uris, request));
    } catch {
      return false;
    }
  };
}

async function verify(token: string, keys: readonly ApiKey[]) {
  const header = JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());
  const key = keys.find(({ id }) => id === header.kid);
  if (!key) throw new Error('an unknown key');
  const { payload, protectedHeader } = await jwtVerify(token, key.publicKey, {
    typ: 'JWT',
    issuer: key.issuer,
    subject: key.id,
    ...(key.issuer === 'cdp' ? { audience: 'cdp_service', requiredClaims: ['nbf'] } : {}),
  });
  return { payload, protectedHeader, key };
}

function namesRequest(uris: unknown, { method, url, headers }: IncomingMessage): boolean {
  return Array.isArray(uris) && uris.length === 1 && uris[0] === `${method} ${headers.host}${url}`;
}
