import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';

/** DER of an Ed25519 private key (RFC 8410), up to its 32 bytes. */
const privateKeyHead = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The Ed25519 key with these 32 bytes. */
export function ed25519KeyOf(seed: Uint8Array): KeyObject {
  return createPrivateKey({ key: Buffer.concat([privateKeyHead, seed]), format: 'der', type: 'pkcs8' });
}

/** Its public key: the last 32 bytes of the DER form. */
export function ed25519PublicKeyOf(privateKey: KeyObject): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createPublicKey(privateKey).export({ format: 'der', type: 'spki' }).subarray(-32));
}
