import { fromBase64, jsonToBase64, randomHex } from '@/app/_wallets/bytes';
import { Stopped } from '@/app/_wallets/stopped';
import { type Challenge, refusalMessage } from '@/app/deposit/_browser/payment';

/** The calls of "Try it": the requests that an agent would make, sent to the service that served the page. */

/** A request, exactly as it is sent unpaid and paid. */
export interface TriedRequest {
  readonly method: string;
  /** With its parameters. */
  readonly path: string;
  /** JSON; null without a body. */
  readonly body: string | null;
}

/** A request with a signed payment. It is sent until its outcome is known, and never signed again. */
export interface SignedRequest {
  readonly request: TriedRequest;
  readonly networkLabel: string;
  /** USDC, decimal. */
  readonly amount: string;
  readonly key: string;
  /** The x402 envelope, base64. */
  readonly payment: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** @returns null when the service cannot be reached, or its answer is lost */
async function send(
  { method, path, body }: TriedRequest,
  headers: Readonly<Record<string, string>>,
): Promise<Answer | null> {
  const type: Record<string, string> = body === null ? {} : { 'Content-Type': 'application/json' };
  const accept = { Accept: 'application/json' };
  try {
    const response = await fetch(path, { method, headers: { ...accept, ...type, ...headers }, body });
    return { status: response.status, headers: response.headers, body: await response.json() };
  } catch {
    return null;
  }
}

/** Sends a request without a payment. */
export async function sendUnpaid(request: TriedRequest): Promise<Answer> {
  const answer = await send(request, {});
  if (!answer) throw new Stopped('The service could not be reached. Check your connection and try again.');
  return answer;
}

type Accepted = Challenge['accepted'];

/** What can be paid for a request, by the 402. */
export interface Offers {
  readonly resource: unknown;
  readonly extensions: unknown;
  readonly accepts: readonly Accepted[];
}

/** The offers of a 402; null for other answers. */
export function offersIn({ status, body }: Answer): Offers | null {
  const offers = body as Partial<Offers> | null;
  return status === 402 && Array.isArray(offers?.accepts) && offers.accepts.length > 0
    ? { resource: offers.resource, extensions: offers.extensions, accepts: offers.accepts }
    : null;
}

/** The challenge for a wallet, with the server's time: the clock of a reader may be wrong. */
export function challengeFor(offers: Offers, accepted: Accepted, { headers }: Answer): Challenge {
  const now = Math.floor(Date.parse(headers.get('date') ?? new Date().toUTCString()) / 1000);
  return { resource: offers.resource, extensions: offers.extensions, accepted, now };
}

/** Puts a wallet's signature into an x402 payment for a request. */
export function signedRequest(
  request: TriedRequest,
  { resource, extensions, accepted }: Challenge,
  payload: object,
  words: Pick<SignedRequest, 'networkLabel' | 'amount'>,
): SignedRequest {
  const payment = jsonToBase64({ x402Version: 2, resource, accepted, payload, extensions });
  return { request, ...words, key: `page-${randomHex(16)}`, payment };
}

interface ErrorBody {
  readonly message?: string;
  readonly payment?: string;
  readonly retry?: string;
  readonly paidCallId?: string;
}

/**
 * Sends a signed payment until its outcome is known.
 * @param wasSent whether it may have arrived before
 * @param waiting called with a reason when it takes longer
 * @throws Stopped when nothing was charged, or when trying again cannot help
 */
export async function settle(
  signed: SignedRequest,
  wasSent: boolean,
  waiting: (why: string) => void,
): Promise<Answer> {
  const headers = { 'PAYMENT-SIGNATURE': signed.payment, 'Idempotency-Key': signed.key };
  for (let isFirst = !wasSent; ; isFirst = false) {
    const answer = await send(signed.request, headers);
    if (answer && answer.status < 300) return answer;
    if (answer) stopIfDecided(answer, isFirst);
    waiting(answer ? 'The outcome of the payment is not known yet.' : 'The answer did not arrive.');
    await sleep(Number(answer?.headers.get('retry-after') ?? 3) * 1000);
  }
}

/** @throws Stopped unless the same request has to be sent again */
function stopIfDecided({ status, body }: Answer, isFirst: boolean): void {
  const error = (body as { error?: ErrorBody | string } | null)?.error;
  // A 402 means certainly not charged.
  if (status === 402) throw new Stopped(refusalMessage(typeof error === 'object' ? error.message : error));
  if (typeof error !== 'object') return;
  if (error.retry === 'stop' && error.payment === 'kept') {
    const id = error.paidCallId ? ` Its ID is ${error.paidCallId}.` : '';
    throw new Stopped(`${error.message}${id}`, 'Paid, but the call failed');
  }
  // What such an answer says of the money, it says of this request. An earlier one may have been charged.
  const isOpen = status >= 500 || status === 429 || error.retry === 'same_request';
  if (!isOpen || (isFirst && error.payment === 'none'))
    throw new Stopped(error.message ?? `The service answered with status ${status}.`);
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** The receipt of a paid answer; null if it has none that can be read. */
export function receiptIn({ headers }: Answer): { readonly transaction?: string } | null {
  try {
    const json = new TextDecoder().decode(fromBase64(headers.get('payment-response') ?? ''));
    return JSON.parse(json);
  } catch {
    return null;
  }
}
