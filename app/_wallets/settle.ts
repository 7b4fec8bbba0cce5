import { type Answer, type CallRequest, errorIn, type ServiceError, send } from './request';
import { Stopped } from './stopped';
import { refusalMessage } from './words';

/** A request with a signed payment. It is sent until its outcome is known, and never signed again. */
export interface SignedPayment {
  readonly request: CallRequest;
  /** The network's name that people see. */
  readonly network: string;
  /** USDC, decimal. */
  readonly amount: string;
  readonly key: string;
  /** The x402 envelope, base64. */
  readonly payment: string;
}

/** How many times a payment is sent to a service that keeps saying that it did not take it. */
const tries = 4;

const kept = { kept: 'Paid, but not delivered', refunded: 'Paid, and refunded' } as const;

/**
 * Sends a signed payment, always the same bytes, until its outcome is known.
 * @param wasSent whether it may have arrived before
 * @param waiting called with a reason when it takes longer
 * @throws Stopped when nothing was charged, or when trying again cannot help; any other error leaves the outcome open
 */
export async function settle(
  { request, payment, key }: SignedPayment,
  wasSent: boolean,
  waiting: (why: string) => void,
): Promise<Answer> {
  const headers = { 'PAYMENT-SIGNATURE': payment, 'Idempotency-Key': key };
  // Whether the payment may be in flight. What an error says about the money is only about this request, not earlier
  // ones.
  let isOpen = wasSent;
  for (let sent = 1; ; sent += 1) {
    const answer = await send(request, headers);
    if (answer && answer.status < 300 && answer.body !== null) return answer;
    const error = answer && errorIn(answer);
    if (answer) stopIfDecided(answer, error, isOpen || sent < tries);
    isOpen ||= error?.payment !== 'none';
    waiting(whyOf(answer, error));
    await sleep(waitSeconds(answer) * 1000);
  }
}

function whyOf(answer: Answer | null, error: ServiceError | null): string {
  if (!answer) return 'No response arrived from the service.';
  return error?.payment === 'none'
    ? 'The service cannot take the payment at the moment.'
    : 'The network has not confirmed the payment yet.';
}

const usualWait = 3;
const longestWait = 60;

function waitSeconds(answer: Answer | null): number {
  const told = Number(answer?.headers.get('retry-after'));
  return Math.min(told > 0 ? told : usualWait, longestWait);
}

/** @throws unless the same request has to be sent again */
function stopIfDecided(answer: Answer, error: ServiceError | null, isPatient: boolean): void {
  const { status } = answer;
  // A 402 means certainly not charged.
  if (status === 402) throw new Stopped(refusalMessage(reasonIn(answer)));
  if (!error) {
    if (status >= 500 || status === 429 || status < 300) return;
    throw new Error(`An answer with status ${status} that is not from the service.`);
  }
  if (error.retry === 'same_request') return;
  const message = messageOf(error);
  if (error.payment === 'kept' || error.payment === 'refunded') {
    const id = error.paidCallId ? ` Keep this ID: ${error.paidCallId}.` : '';
    throw new Stopped(`${message}${id}`, kept[error.payment]);
  }
  if (error.payment === 'none') {
    if (error.retry === 'later' && isPatient) return;
    throw new Stopped(message);
  }
  if (error.retry === 'stop')
    throw new Stopped(
      'Check your wallet before you pay again. If the money has left it, contact the operator of this service.',
      'It is not known whether this was paid',
    );
  if (status < 500 && status !== 429) throw new Error(message);
}

/** Why a payment was refused: x402 has a text there, where other errors have an object. */
function reasonIn({ body }: Answer): unknown {
  const error = (body as { error?: unknown } | null)?.error;
  return typeof error === 'object' ? (error as ServiceError | null)?.message : error;
}

/** What is wrong, in the words of the service. */
export function messageOf(error: ServiceError | null): string {
  const [issue] = error?.issues ?? [];
  if (issue) return `${issue.path === '' ? 'The request' : issue.path} ${issue.rule}.`;
  return error?.message ?? 'The service did not accept the payment. Try again in a moment.';
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
