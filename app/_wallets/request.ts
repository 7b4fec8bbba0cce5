import { parseJson } from '@/lib/platform/json';
import { Stopped } from './stopped';

/** The calls that a page makes: the requests that an agent would make, sent to the service that served the page. */

/** A request, exactly as it is sent unpaid and paid. */
export interface CallRequest {
  readonly method: string;
  /** With its parameters. */
  readonly path: string;
  /** JSON; null without a body. */
  readonly body: string | null;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Null when it is not JSON. */
  readonly body: unknown;
}

/** The longest that a page waits for an answer. The same request may be sent again after it. */
const waitMs = 120_000;

/** @returns null when the service cannot be reached, or its answer is lost */
export async function send(
  { method, path, body }: CallRequest,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer | null> {
  const type: Record<string, string> = body === null ? {} : { 'Content-Type': 'application/json' };
  const accept = { Accept: 'application/json' };
  try {
    const signal = AbortSignal.timeout(waitMs);
    const response = await fetch(path, { method, headers: { ...accept, ...type, ...headers }, body, signal });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: parseJson(text) ?? null };
  } catch {
    return null;
  }
}

/** Sends a request without a payment. */
export async function sendUnpaid(request: CallRequest): Promise<Answer> {
  const answer = await send(request);
  if (!answer) throw new Stopped('The service could not be reached. Check your connection and try again.');
  return answer;
}

/** What the service says went wrong, for a program. */
export interface ServiceError {
  readonly message?: string;
  readonly payment?: string;
  readonly retry?: string;
  readonly paidCallId?: string;
  readonly issues?: readonly { readonly path: string; readonly rule: string }[];
}

/** The error in an answer; null for answers that are not from the service. */
export function errorIn({ body }: Answer): ServiceError | null {
  const error = (body as { error?: unknown } | null)?.error;
  return typeof error === 'object' ? (error as ServiceError | null) : null;
}

/** One entry of `accepts` in a 402. */
export interface Accepted {
  readonly scheme: string;
  readonly network: string;
  readonly asset: string;
  readonly amount: string;
  readonly payTo: string;
  readonly maxTimeoutSeconds: number;
  readonly extra: Readonly<Record<string, unknown>>;
}

/** What can be paid for a request, from its 402. */
export interface Offers {
  readonly resource: unknown;
  readonly extensions: unknown;
  readonly accepts: readonly Accepted[];
}

/** The offers of a 402 that pages can pay: those of the scheme that signs for a single call. Null for other answers. */
export function offersIn({ status, body }: Answer): Offers | null {
  const offers = body as Partial<Offers> | null;
  if (status !== 402 || !Array.isArray(offers?.accepts)) return null;
  const accepts = offers.accepts.filter(({ scheme }: Accepted) => scheme === 'exact');
  return accepts.length === 0 ? null : { resource: offers.resource, extensions: offers.extensions, accepts };
}

export interface Receipt {
  readonly transaction: string | null;
  /** The address that paid. */
  readonly payer: string | null;
  /** The ID of the paid call, under which the service keeps it. */
  readonly paidCallId: string | null;
}

/** The receipt in the headers of a paid answer. */
export function receiptIn({ headers }: Answer): Receipt {
  const { transaction = null, payer = null } = settlementIn(headers);
  return { transaction, payer, paidCallId: headers.get('paid-call-id') };
}

function settlementIn(headers: Headers): { readonly transaction?: string; readonly payer?: string } {
  try {
    return JSON.parse(atob(headers.get('payment-response') ?? ''));
  } catch {
    return {};
  }
}
