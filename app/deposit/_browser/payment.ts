import { jsonToBase64, randomHex } from './bytes';
import { Stopped } from './stopped';

/** The paid call behind the page: the same POST that an agent makes, with a wallet's signature. */

/** What is bought: an amount in an account. */
export interface Order {
  readonly accountId: string;
  /** USDC, decimal. */
  readonly amount: string;
}

/** One way to pay, from the 402. */
export interface Accepted {
  readonly network: string;
  readonly asset: string;
  readonly amount: string;
  readonly payTo: string;
  readonly maxTimeoutSeconds: number;
  readonly extra: Readonly<Record<string, unknown>>;
}

export interface Challenge {
  readonly resource: unknown;
  readonly extensions: unknown;
  readonly accepted: Accepted;
  /** The server's clock in seconds: that of a phone may be wrong, and authorizations have a window. */
  readonly now: number;
}

/** A payment that is signed and may be charged: from here on it is sent until its outcome is known, never signed anew. */
export interface SignedOrder {
  readonly order: Order;
  readonly network: string;
  readonly key: string;
  /** The x402 envelope, base64. */
  readonly payment: string;
}

export interface Receipt {
  readonly amount: string;
  readonly txHash: string | null;
}

const endpoint = '/v1/billing/deposits';

function post(order: Order, headers: Record<string, string>): Promise<Response> {
  return fetch(endpoint, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(order),
  });
}

/** Asks what the deposit costs on a network. */
export async function askForChallenge(order: Order, caip2: string): Promise<Challenge> {
  const answer = await post(order, {}).catch(() => null);
  if (!answer) throw new Stopped('The service could not be reached. Check your connection and try again.');
  const body = await answer.json().catch(() => ({}));
  if (answer.status !== 402) throw new Stopped(wordsFor(body.error));
  const accepted = body.accepts.find((one: Accepted) => one.network === caip2);
  if (!accepted) throw new Stopped('This network takes no payments at the moment. Choose another.');
  const now = Math.floor(Date.parse(answer.headers.get('date') ?? new Date().toUTCString()) / 1000);
  return { resource: body.resource, extensions: body.extensions, accepted, now };
}

/** Puts a wallet's signature into the envelope of the protocol. */
export function sealed(order: Order, network: string, challenge: Challenge, payload: object): SignedOrder {
  const { resource, extensions, accepted } = challenge;
  const payment = jsonToBase64({ x402Version: 2, resource, accepted, payload, extensions });
  return { order, network, key: `page-${randomHex(16)}`, payment };
}

/**
 * Sends a signed payment, again and again, until it is known what became of it.
 * @param waiting is told that it takes longer
 * @throws Stopped when it is certain that nothing was charged, or that nothing more will come of it here
 */
export async function settle(signed: SignedOrder, waiting: (why: string) => void): Promise<Receipt> {
  const headers = { 'PAYMENT-SIGNATURE': signed.payment, 'Idempotency-Key': signed.key };
  for (;;) {
    const answer = await post(signed.order, headers).catch(() => null);
    const body = await answer?.json().catch(() => null);
    if (answer?.ok && body) return body;
    // A 402 means certainly not charged.
    if (answer?.status === 402) throw new Stopped(refusalWords(body?.error));
    const error: ErrorBody | undefined = body?.error;
    if (error?.payment === 'kept' && error.retry === 'stop') {
      const message = `${error.message} Keep this number: ${error.paidCallId}.`;
      throw new Stopped(message, 'Paid, and not in the account yet');
    }
    if (answer && answer.status < 500 && answer.status !== 429 && error?.retry !== 'same_request') {
      throw new Stopped(wordsFor(error));
    }
    waiting(answer ? 'The network has not confirmed the payment yet.' : 'The service cannot be reached.');
    await sleep(Number(answer?.headers.get('retry-after') ?? 3) * 1000);
  }
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

interface ErrorBody {
  readonly message?: string;
  readonly payment?: string;
  readonly retry?: string;
  readonly paidCallId?: string;
  readonly issues?: readonly { readonly path: string; readonly rule: string }[];
}

function wordsFor(error: ErrorBody | undefined): string {
  const [issue] = error?.issues ?? [];
  if (issue) return `${issue.path === 'amount' ? 'The amount' : issue.path} ${issue.rule}.`;
  return error?.message ?? 'The service did not take the payment. Try again in a moment.';
}

/** The reasons of a refused payment that a person can do something about. */
function refusalWords(reason: unknown): string {
  const text = String(reason);
  if (/funds|balance/i.test(text)) return 'The wallet holds too little USDC on this network.';
  if (/valid_before|expired|window|blockhash/i.test(text)) return 'Signing took too long. Try again.';
  if (/signature/i.test(text))
    return 'The signature is not one that can be charged: smart contract wallets cannot pay here.';
  return `The payment was refused (${text}).`;
}
