import { jsonToBase64, randomHex } from '@/app/_wallets/bytes';
import { Stopped } from '@/app/_wallets/stopped';

/** The paid call of the page: the same POST that an agent makes, with a wallet's signature. */

/** The amount to pay into an account. */
export interface Order {
  readonly accountId: string;
  /** USDC, decimal. */
  readonly amount: string;
}

/** One entry of `accepts` in the 402. */
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
  /** The server's time in seconds. Authorizations have a validity window, and the clock of a phone may be wrong. */
  readonly now: number;
}

/** A signed payment. It is sent until its outcome is known, and never replaced by a new one. */
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
  readonly creditedAt: string;
  /** The ID of the paid call, under which the service keeps it. */
  readonly paidCallId: string | null;
}

const endpoint = '/v1/billing/deposits';

function post(order: Order, headers: Record<string, string>): Promise<Response> {
  return fetch(endpoint, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(order),
  });
}

/** Gets the challenge for a deposit on a network. */
export async function askForChallenge(order: Order, caip2: string): Promise<Challenge> {
  const response = await post(order, {}).catch(() => null);
  if (!response) throw new Stopped('The service could not be reached. Check your connection and try again.');
  const body = await response.json().catch(() => ({}));
  if (response.status !== 402) throw new Stopped(messageFor(body.error));
  const accepted = body.accepts.find((one: Accepted) => one.network === caip2);
  if (!accepted) throw new Stopped('This network is not available at the moment. Choose another one.');
  const now = Math.floor(Date.parse(response.headers.get('date') ?? new Date().toUTCString()) / 1000);
  return { resource: body.resource, extensions: body.extensions, accepted, now };
}

/** Puts a wallet's signature into an x402 payment. */
export function signedOrder(
  order: Order,
  network: string,
  challenge: Challenge,
  payload: object,
): SignedOrder {
  const { resource, extensions, accepted } = challenge;
  const payment = jsonToBase64({ x402Version: 2, resource, accepted, payload, extensions });
  return { order, network, key: `page-${randomHex(16)}`, payment };
}

/**
 * Sends a signed payment until its outcome is known.
 * @param waiting called with a reason when it takes longer
 * @throws Stopped when nothing was charged, or when trying again cannot help; any other error leaves the outcome open
 */
export async function settle(signed: SignedOrder, waiting: (why: string) => void): Promise<Receipt> {
  const headers = { 'PAYMENT-SIGNATURE': signed.payment, 'Idempotency-Key': signed.key };
  for (;;) {
    const response = await post(signed.order, headers).catch(() => null);
    const body = await response?.json().catch(() => null);
    if (response?.ok && body) return { ...body, paidCallId: response.headers.get('paid-call-id') };
    // A 402 means certainly not charged.
    if (response?.status === 402) throw new Stopped(refusalMessage(body?.error));
    const error: ErrorBody | undefined = body?.error;
    if (error?.payment === 'kept' && error.retry === 'stop') {
      const message = `${error.message} Keep this ID: ${error.paidCallId}.`;
      throw new Stopped(message, 'Paid, but not in the account yet');
    }
    if (response && response.status < 500 && response.status !== 429 && error?.retry !== 'same_request') {
      if (error?.payment === 'none') throw new Stopped(messageFor(error));
      if (error?.retry === 'stop')
        throw new Stopped(messageFor(error), 'It is not known whether this was paid');
      throw new Error(messageFor(error));
    }
    waiting(response ? 'The network has not confirmed the payment yet.' : 'The service cannot be reached.');
    await sleep(Number(response?.headers.get('retry-after') ?? 3) * 1000);
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

function messageFor(error: ErrorBody | undefined): string {
  const [issue] = error?.issues ?? [];
  if (issue) return `${issue.path === 'amount' ? 'The amount' : issue.path} ${issue.rule}.`;
  return error?.message ?? 'The service did not accept the payment. Try again in a moment.';
}

/** A message for a refused payment, specific where a person can do something about it. */
export function refusalMessage(reason: unknown): string {
  const text = String(reason);
  if (/funds|balance/i.test(text)) return 'The wallet does not have enough USDC on this network.';
  if (/valid_before|expired|window|blockhash/i.test(text)) return 'Signing took too long. Try again.';
  if (/undeployed/.test(text)) {
    const advice = 'Send any transaction from it first, such as a transfer to yourself, and then pay here.';
    return `This wallet is a contract that is not deployed on this network yet. ${advice}`;
  }
  if (/signature/i.test(text))
    return 'The wallet’s signature is not valid for its account on this network. Try again, or use another wallet.';
  return `The payment was refused (${text}).`;
}
