import type { PublicReceiptKey } from './receipt-keys';

/**
 * The service's identifier (did:web): its host, with the colon before a port encoded, so that verifiers find the keys at
 * /.well-known/did.json of this host.
 */
export function didOf(publicUrl: string): string {
  return `did:web:${new URL(publicUrl).host.replace(':', '%3A')}`;
}

/** The absolute form of a key's id. Verifiers compare it with the `kid` of a signature, and would not find a relative one. */
export function keyUrlOf(publicUrl: string, keyId: string): string {
  return `${didOf(publicUrl)}#${keyId}`;
}

/** The public key as a JSON Web Key (RFC 8037). */
export function jwkOf(publicUrl: string, { id, publicKey }: PublicReceiptKey) {
  return {
    kty: 'OKP',
    crv: 'Ed25519',
    alg: 'EdDSA',
    use: 'sig',
    kid: keyUrlOf(publicUrl, id),
    x: publicKey.toString('base64url'),
  };
}

/** `/.well-known/did.json`: every key that signed receipts or offers and is not revoked, the newest first. */
export function didDocument(publicUrl: string, keys: readonly PublicReceiptKey[]) {
  const did = didOf(publicUrl);
  const urls = keys.map(({ id }) => keyUrlOf(publicUrl, id));
  return {
    '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/suites/jws-2020/v1'],
    id: did,
    verificationMethod: keys.map((key) => ({
      id: keyUrlOf(publicUrl, key.id),
      type: 'JsonWebKey2020',
      controller: did,
      publicKeyJwk: jwkOf(publicUrl, key),
    })),
    assertionMethod: urls,
  };
}

/** `/.well-known/jwks.json`: the same keys as a JSON Web Key Set (RFC 7517). */
export function jsonWebKeySet(publicUrl: string, keys: readonly PublicReceiptKey[]) {
  return { keys: keys.map((key) => jwkOf(publicUrl, key)) };
}
