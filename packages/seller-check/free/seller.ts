import { setTimeout as delay } from 'node:timers/promises';
import { decodePaymentRequiredHeader } from '@x402/core/http';
import { Challenge } from 'mppx';
import { z } from 'zod';
import { type Answer, asCurl, type ExactRequest, headerOf, headersOf, NoAnswer, send } from '../http';

/** The request of one paid call. */
export interface PaidCall {
  readonly url: URL;
  readonly method: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: string;
}

/** What a case changes about the request. */
export interface Changes extends Partial<Pick<ExactRequest, 'method' | 'url' | 'body'>> {
  /** In addition to those of the call; a name of the call's is replaced. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
}

/** An entry of `accepts`, read loosely, so that one wrong field does not hide the others. */
const offer = z.looseObject({
  scheme: z.unknown().optional(),
  network: z.unknown().optional(),
  amount: z.unknown().optional(),
  asset: z.unknown().optional(),
  payTo: z.unknown().optional(),
  maxTimeoutSeconds: z.unknown().optional(),
  extra: z.record(z.string(), z.unknown()).nullish().catch(undefined),
});
export type Offer = z.infer<typeof offer>;

const paymentRequired = z.looseObject({
  x402Version: z.unknown().optional(),
  resource: z.looseObject({ url: z.unknown().optional() }).optional().catch(undefined),
  accepts: z.array(offer).catch([]),
  extensions: z.record(z.string(), z.unknown()).nullish().catch(undefined),
});
export type PaymentRequired = z.infer<typeof paymentRequired>;

/** The x402 part of a 402. */
export interface X402Challenge {
  readonly header: string;
  /** As decoded, whatever it is. */
  readonly document: unknown;
  readonly required: PaymentRequired;
  readonly answer: Answer;
}

export type MppChallenge = Challenge.Challenge;

/** The MPP part of a 402. */
export interface MppChallenges {
  /** The headers with at least one Payment challenge, joined. */
  readonly header: string;
  /** The parameters of each Payment challenge as they were sent, with lower-case names. */
  readonly parameters: readonly ReadonlyMap<string, string>[];
  /** Those that the official parser reads; none if one of them is malformed. */
  readonly challenges: readonly MppChallenge[];
  /** Why they cannot be read. */
  readonly problem?: string;
  readonly answer: Answer;
}

const waitMsMax = 10_000;
const attemptsMax = 3;

/** A paid call of a seller, called without money. Every case repeats the same request, changed in one point. */
export class UnpaidSeller {
  readonly call: PaidCall;
  /** How long a connection may stay open that has to be closed. */
  readonly patienceMs: number;
  #unpaid?: Promise<Answer>;

  constructor(call: PaidCall, patienceMs = 5_000) {
    this.call = call;
    this.patienceMs = patienceMs;
  }

  /** Sends a request that the seller has to answer in some way. */
  async #exchange(request: ExactRequest): Promise<Answer> {
    try {
      return await sendTwice(request);
    } catch (error) {
      const isCallAnswered = await this.unpaid().then(
        () =>
          sendTwice(this.#request({})).then(
            () => true,
            () => false,
          ),
        () => false,
      );
      if (!(error instanceof NoAnswer) || !isCallAnswered) throw error;
      throw new Silence(`The seller answers the call, but not this request. ${error.message}`);
    }
  }

  /** The call as given, without a payment. Sent once for all cases that only read the answer. */
  unpaid(): Promise<Answer> {
    this.#unpaid ??= patiently(() => sendTwice(this.#request({})));
    return this.#unpaid;
  }

  /**
   * Sends the call, changed. Waits where the seller limits requests.
   * @throws Silence, NoAnswer, or Error if the seller answers only that it is called too often
   */
  send(changes: Changes = {}): Promise<Answer> {
    const request = this.#request(changes);
    return patiently(() => this.#exchange(request));
  }

  #request({ headers = [], ...changes }: Changes): ExactRequest {
    const { method, url, body } = { ...this.call, ...changes };
    const own = [
      ['Accept', '*/*'] as const,
      ['User-Agent', 'seller-check'] as const,
      ...(this.call.body === undefined ? [] : [['Content-Type', 'application/json'] as const]),
      ...this.call.headers,
    ];
    const replaced = new Set(headers.map(([name]) => name.toLowerCase()));
    return {
      method,
      url,
      body: ['HEAD', 'OPTIONS'].includes(method) ? undefined : body,
      headers: [...own.filter(([name]) => !replaced.has(name.toLowerCase())), ...headers],
    };
  }

  /** Reads another document of the same origin, without the headers and body of the call. */
  async read(path: string, method = 'GET', headers: Changes['headers'] = []): Promise<Answer> {
    return this.#exchange({
      method,
      url: new URL(path, this.call.url),
      headers: [['Accept', '*/*'], ...headers],
    });
  }

  /** What the seller asks for over x402 version 2; undefined if it does not sell over it. */
  async x402(): Promise<X402Challenge | undefined> {
    return x402Of(await this.unpaid());
  }

  /** What the seller asks for over MPP; undefined if it does not sell over it. */
  async mpp(): Promise<MppChallenges | undefined> {
    return mppOf(await this.unpaid());
  }
}

/** The seller answers the call, but not as a case has changed it: a finding, unlike a seller that does not answer at all. */
export class Silence extends Error {}

/** A connection may fail by chance. */
async function sendTwice(request: ExactRequest): Promise<Answer> {
  try {
    return await send(request);
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    return send(request);
  }
}

/** Waits where the seller limits requests. */
async function patiently(exchange: () => Promise<Answer>): Promise<Answer> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await exchange();
    if (answer.status !== 429 && answer.status !== 503) return answer;
    if (attempt < attemptsMax) await delay(waitMsOf(answer));
    else if (answer.status === 503) return answer;
    else throw new Error(`The seller limits requests (429).\n${asCurl(answer.request)}`);
  }
}

/** Whether a URL leads to the machine that follows it. */
export const isLoopback = ({ hostname }: URL): boolean =>
  /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);

/** How long the seller wants us to wait, within limits. */
function waitMsOf(answer: Answer): number {
  const seconds = Number(headerOf(answer, 'retry-after'));
  return Math.min(Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : 1_000, waitMsMax);
}

/** The x402 part of an answer, if it has one. */
export function x402Of(answer: Answer): X402Challenge | undefined {
  const header = headerOf(answer, 'payment-required');
  if (header === undefined) return undefined;
  const document = decoded(header);
  const required = paymentRequired.safeParse(document).data ?? paymentRequired.parse({});
  return { header, document, required, answer };
}

function decoded(header: string): unknown {
  try {
    return decodePaymentRequiredHeader(header);
  } catch {
    return undefined;
  }
}

/** The MPP part of an answer, if it has one. */
export function mppOf(answer: Answer): MppChallenges | undefined {
  const values = headersOf(answer, 'www-authenticate').filter((value) =>
    /(^|[\s,])payment(\s|$)/i.test(value),
  );
  if (values.length === 0) return undefined;
  const header = values.join(', ');
  const parameters = parametersOf(header);
  try {
    return { header, parameters, challenges: Challenge.deserializeList(header), answer };
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    return { header, parameters, challenges: [], problem, answer };
  }
}

/** Reads what the official parser refuses too, so that a case can name what is wrong. */
function parametersOf(header: string): Map<string, string>[] {
  const tokens =
    /(?:^|,)\s*(?<scheme>[\w-]+)(?:\s+(?=[\w-]+\s*=)|\s*$)|(?<name>[\w-]+)\s*=\s*(?:"(?<quoted>(?:[^"\\]|\\.)*)"|(?<bare>[^\s,"]*))/g;
  const found: Map<string, string>[] = [];
  let current: Map<string, string> | undefined;
  for (const { groups = {} } of header.matchAll(tokens)) {
    const { scheme, name, quoted, bare = '' } = groups;
    if (scheme !== undefined) {
      current = scheme.toLowerCase() === 'payment' ? new Map() : undefined;
      if (current) found.push(current);
    } else if (name !== undefined) {
      current?.set(name.toLowerCase(), quoted?.replaceAll(/\\(.)/g, '$1') ?? bare);
    }
  }
  return found;
}
