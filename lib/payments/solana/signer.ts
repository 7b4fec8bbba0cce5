import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import { getBase58Encoder } from '@solana/kit';
import { PublicKey } from '@solana/web3.js';

/** The bytes that precede the 32 secret bytes of an Ed25519 key in PKCS #8 (RFC 8410). */
const pkcs8Prefix = Buffer.from('302e020100300506032b657004220420', 'hex');

/**
 * The key that pays the fees. Derives and signs in native code: JavaScript curves first prepare tables, which would take a
 * tenth of a server's start.
 */
export class SolanaSigner {
  readonly publicKey: PublicKey;
  readonly #key: KeyObject;

  /** @param secretKey base58 of 64 bytes: the secret half and the public half */
  constructor(secretKey: string) {
    const bytes = Buffer.from(getBase58Encoder().encode(secretKey));
    if (bytes.length !== 64) throw new Error('SETTLEMENT_KEY_SOLANA must be base58 of 64 bytes');
    const [secretHalf, publicHalf] = [bytes.subarray(0, 32), bytes.subarray(32)];
    this.#key = createPrivateKey({
      key: Buffer.concat([pkcs8Prefix, secretHalf]),
      format: 'der',
      type: 'pkcs8',
    });
    const derived = createPublicKey(this.#key).export({ format: 'der', type: 'spki' }).subarray(-32);
    if (!derived.equals(publicHalf)) {
      throw new Error('SETTLEMENT_KEY_SOLANA is not a key: its two halves do not belong together');
    }
    this.publicKey = new PublicKey(derived);
  }

  /** Ed25519 is deterministic: the same message always gives the same signature. */
  sign(message: Uint8Array): Uint8Array {
    return new Uint8Array(sign(null, message, this.#key));
  }
}
