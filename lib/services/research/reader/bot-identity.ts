import { createHash, type KeyObject } from 'node:crypto';
import { ed25519KeyOf, ed25519PublicKeyOf } from '@/lib/platform/ed25519';
import type { Platform } from '@/lib/platform/platform';
import { signMessage } from './message-signature';

interface SigningKey {
  readonly privateKey: KeyObject;
  /** The thumbprint of the public key (RFC 8037, appendix A.3). */
  readonly id: string;
  /** base64url */
  readonly x: string;
}

/** A request's signature is sent at once, so that a copy of it is soon worth nothing. */
const requestSeconds = 60;
/** The directory is signed anew for each request, and may be kept for a minute. */
const directorySeconds = 3_600;

export const directoryType = 'application/http-message-signatures-directory+json';

/**
 * How our page reader tells sites who it is: Web Bot Auth (draft-meunier-webbotauth-httpsig-protocol-02), with keys derived from
 * DATA_KEY. The newest signs requests. All are in the directory, so signatures stay valid while DATA_KEY is rotated.
 */
export class BotIdentity {
  readonly #clock: Platform['clock'];
  readonly #publicUrl: URL;
  readonly #keys: readonly [SigningKey, ...SigningKey[]];

  constructor({ clock, settings, keys }: Pick<Platform, 'clock' | 'settings' | 'keys'>) {
    this.#clock = clock;
    this.#publicUrl = new URL(settings.PUBLIC_URL);
    const [newest, ...older] = keys.derive('web-bot-auth');
    this.#keys = [signingKeyOf(newest), ...older.map(signingKeyOf)];
  }

  /** The headers of a request that prove that we send it. */
  headersFor(url: string): Readonly<Record<string, string>> {
    const [key] = this.#keys;
    const agent = JSON.stringify(this.#publicUrl.origin);
    const components = [
      ['"@authority"', new URL(url).host],
      ['"signature-agent";key="sig"', agent],
    ] as const;
    const { input, signature } = signMessage(key.privateKey, components, {
      ...this.#period(requestSeconds),
      ...{ keyid: key.id, alg: 'ed25519', tag: 'web-bot-auth' },
    });
    return {
      'Signature-Agent': `sig=${agent}`,
      'Signature-Input': `sig=${input}`,
      Signature: `sig=${signature}`,
    };
  }

  /** The public keys as a JSON Web Key Set, and the headers by which each proves that it belongs to this host. */
  directory(): { readonly body: string; readonly headers: Readonly<Record<string, string>> } {
    const keys = this.#keys.map(({ id, x }) => ({ kty: 'OKP', crv: 'Ed25519', kid: id, x, use: 'sig' }));
    const body = JSON.stringify({ keys });
    const digest = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`;
    const components = [
      ['"@authority";req', this.#publicUrl.host],
      ['"content-digest"', digest],
    ] as const;
    const signed = this.#keys.map(({ privateKey, id: keyid }, at) => {
      const tag = 'http-message-signatures-directory';
      const parameters = { ...this.#period(directorySeconds), keyid, alg: 'ed25519', tag };
      return { label: `sig${at}`, ...signMessage(privateKey, components, parameters) };
    });
    return {
      body,
      headers: {
        'Content-Digest': digest,
        'Signature-Input': signed.map(({ label, input }) => `${label}=${input}`).join(', '),
        Signature: signed.map(({ label, signature }) => `${label}=${signature}`).join(', '),
      },
    };
  }

  #period(seconds: number) {
    const created = Math.floor(this.#clock.now() / 1_000);
    return { created, expires: created + seconds };
  }
}

/** The identity of our page reader; null while the operator has not switched it on. */
export function openBotIdentity(app: Pick<Platform, 'clock' | 'settings' | 'keys'>): BotIdentity | null {
  return app.settings.WEB_BOT_AUTH ? new BotIdentity(app) : null;
}

function signingKeyOf(seed: Buffer): SigningKey {
  const privateKey = ed25519KeyOf(seed);
  const x = Buffer.from(ed25519PublicKeyOf(privateKey)).toString('base64url');
  const id = createHash('sha256').update(`{"crv":"Ed25519","kty":"OKP","x":"${x}"}`).digest('base64url');
  return { privateKey, id, x };
}
