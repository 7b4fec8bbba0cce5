import { sign } from 'node:crypto';
import type { JWSSigner } from '@x402/extensions/offer-receipt';
import type { Clock } from '@/lib/platform/clock';
import { keyUrlOf } from './did';
import type { Receipt } from './receipt';
import type { PublicReceiptKey, ReceiptKeyRecord } from './receipt-keys';

/** How long the published keys are cached. A key that another process has just begun to use may be unknown for as long. */
const publishedForMs = 10_000;

/** What an offer promises: the terms on one network, for a limited time. */
export interface OfferTerms {
  readonly scheme: string;
  readonly network: string;
  readonly asset: string;
  readonly payTo: string;
  /** Atomic USDC. */
  readonly amount: string;
}

/** What signing uses. */
interface IssuerDeps {
  readonly settings: { readonly PUBLIC_URL: string };
  readonly clock: Pick<Clock, 'now'>;
  readonly keyRecord: ReceiptKeyRecord;
}

/** Signs receipts and offers (x402 extension `offer-receipt`, format JWS). The codec is loaded with the first one. */
export class ReceiptIssuer {
  readonly #app: IssuerDeps;
  #signer: Promise<JWSSigner | null> | null = null;
  #published: { readonly keys: Promise<PublicReceiptKey[]>; readonly at: number } | null = null;

  constructor(app: IssuerDeps) {
    this.#app = app;
  }

  /** Signs a receipt. @returns its JWS in compact form; null when the key is revoked */
  async issueReceipt(receipt: Receipt): Promise<string | null> {
    const signer = await this.#openSigner();
    if (!signer) return null;
    const { createJWS } = await import('@x402/extensions/offer-receipt');
    return createJWS(receipt, signer);
  }

  /**
   * Signs an offer.
   * @param validForSeconds how long the terms are promised
   * @returns its JWS in compact form; null when the key is revoked
   */
  async issueOffer(resourceUrl: string, terms: OfferTerms, validForSeconds: number): Promise<string | null> {
    const signer = await this.#openSigner();
    if (!signer) return null;
    const { createJWS } = await import('@x402/extensions/offer-receipt');
    const validUntil = Math.floor(this.#app.clock.now() / 1000) + validForSeconds;
    return createJWS({ version: 1, resourceUrl, ...terms, validUntil }, signer);
  }

  /** The keys to publish, the newest first. */
  publishedKeys(): Promise<PublicReceiptKey[]> {
    const now = this.#app.clock.now();
    if (!this.#published || now - this.#published.at > publishedForMs) {
      const keys = this.#app.keyRecord.published();
      this.#published = { keys, at: now };
      keys.catch(() => {
        this.#published = null;
      });
    }
    return this.#published.keys;
  }

  #openSigner(): Promise<JWSSigner | null> {
    if (!this.#signer) {
      const opening = this.#makeSigner();
      this.#signer = opening;
      opening.catch(() => {
        this.#signer = null;
      });
    }
    return this.#signer;
  }

  async #makeSigner(): Promise<JWSSigner | null> {
    const key = await this.#app.keyRecord.open();
    if (!key) return null;
    return {
      kid: keyUrlOf(this.#app.settings.PUBLIC_URL, key.id),
      format: 'jws',
      algorithm: 'EdDSA',
      sign: async (bytes) => sign(null, bytes, key.privateKey).toString('base64url'),
    };
  }
}
