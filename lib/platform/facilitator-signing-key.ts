import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';

/** Who issues API keys that sign requests to a facilitator. The format of a secret shows its issuer. */
export type KeyIssuer = 'coinbase' | 'payai';

/** The private key in the secret of an API key. */
export interface SigningKey {
  readonly issuer: KeyIssuer;
  readonly algorithm: 'EdDSA' | 'ES256';
  readonly key: KeyObject;
}

const payaiPrefix = 'payai_sk_';

/**
 * Reads the secret of an API key in the format of its platform: from Coinbase, base64 of an Ed25519 seed and its public key (64
 * bytes), or a P-256 key in PEM; from PayAI, `payai_sk_` and an Ed25519 key (PKCS #8) in base64. Line breaks of a PEM may be
 * written as `\n`.
 * @returns null when it is none of these
 */
export function readSigningKey(secret: string): SigningKey | null {
  try {
    if (secret.startsWith(payaiPrefix)) return readPayaiKey(secret.slice(payaiPrefix.length));
    return secret.includes('-----BEGIN') ? readPem(secret) : readSeedAndPublicKey(secret);
  } catch {
    return null;
  }
}

function readPayaiKey(base64: string): SigningKey | null {
  const key = createPrivateKey({ key: Buffer.from(base64, 'base64'), format: 'der', type: 'pkcs8' });
  return key.asymmetricKeyType === 'ed25519' ? { issuer: 'payai', algorithm: 'EdDSA', key } : null;
}

function readPem(pem: string): SigningKey | null {
  const key = createPrivateKey(pem.replaceAll('\\n', '\n'));
  const isP256 = key.asymmetricKeyDetails?.namedCurve === 'prime256v1';
  return isP256 ? { issuer: 'coinbase', algorithm: 'ES256', key } : null;
}

function readSeedAndPublicKey(base64: string): SigningKey | null {
  const bytes = Buffer.from(base64, 'base64');
  if (bytes.length !== 64) return null;
  const [d, x] = [bytes.subarray(0, 32), bytes.subarray(32)].map((part) => part.toString('base64url'));
  const key = createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', d, x }, format: 'jwk' });
  // A secret that was cut off or pasted incorrectly has another public key.
  const isPair = createPublicKey(key).export({ format: 'jwk' }).x === x;
  return isPair ? { issuer: 'coinbase', algorithm: 'EdDSA', key } : null;
}
