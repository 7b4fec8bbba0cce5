import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto';
import { takeRandomBytes } from './ids';
import type { NetworkSet } from './settings';

/**
 * The purposes of DATA_KEY. Each gets a derived key (HKDF), so that a signature for one purpose is not valid for
 * another. Several comma-separated keys are for rotation: the first encrypts and signs, all of them decrypt and verify.
 */
type Purpose =
  | 'kept-content'
  | 'claim-token'
  | 'mpp-challenge'
  | 'upload-address'
  | 'form-read-token'
  | 'form-stamp'
  | 'form-link'
  | 'console-form'
  | 'sign-in'
  | 'receipts'
  | 'web-bot-auth';

type DerivedKeys = readonly [Buffer, ...Buffer[]];

/** The keys derived from DATA_KEY. */
export class DataKeys {
  readonly #keys: readonly string[];
  readonly #networks: NetworkSet;
  readonly #derived = new Map<Purpose, DerivedKeys>();

  /**
   * @param keys DATA_KEY: base64 of 32 bytes each, the newest first
   * @param networks test networks get other keys, so that what is signed there is not valid elsewhere
   */
  constructor(keys: readonly string[], networks: NetworkSet) {
    this.#keys = keys;
    this.#networks = networks;
  }

  /** The keys for a purpose, newest first, 32 bytes each. */
  derive(purpose: Purpose): DerivedKeys {
    const known = this.#derived.get(purpose);
    if (known) return known;
    const info = `${this.#networks === 'test' ? 'tuppence test' : 'tuppence'} ${purpose}`;
    const [newest, ...older] = this.#keys.map((key) =>
      Buffer.from(hkdfSync('sha256', Buffer.from(key, 'base64'), '', info, 32)),
    );
    if (!newest) throw new Error('DATA_KEY is empty');
    const derived = [newest, ...older] as const;
    this.#derived.set(purpose, derived);
    return derived;
  }

  /**
   * Encrypts content that must survive a crash but not be readable in the database (AES-256-GCM: nonce, tag,
   * ciphertext).
   */
  encrypt(plain: string | Buffer): Uint8Array<ArrayBuffer> {
    const [key] = this.derive('kept-content');
    const nonce = takeRandomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', key, nonce);
    const sealed = Buffer.concat([cipher.update(plain), cipher.final()]);
    return new Uint8Array(Buffer.concat([nonce, cipher.getAuthTag(), sealed]));
  }

  /** Decrypts; throws when no key fits or the content was altered. */
  decrypt(sealed: Uint8Array): Buffer {
    const opened = this.tryDecrypt(sealed);
    if (!opened) throw new Error('no DATA_KEY decrypts this content');
    return opened;
  }

  /** The same; null when no key fits or the content was altered. */
  tryDecrypt(sealed: Uint8Array): Buffer | null {
    const bytes = Buffer.from(sealed);
    for (const key of this.derive('kept-content')) {
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12));
        decipher.setAuthTag(bytes.subarray(12, 28));
        return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]);
      } catch {
        // Encrypted with an older key: try the next one.
      }
    }
    return null;
  }
}
