import { setTimeout as sleep } from 'node:timers/promises';
import { decodePaymentResponseHeader } from '@x402/core/http';
import type { Finding } from '../../case';
import { isDelivery, type Reply } from '../client';
import { fail, pass } from '../findings';
import type { Payment } from '../payments';
import type { PaidSeller, Sending } from '../seller';

/** Asks the seller again until its answer says more than that it is still at work. */
export async function untilAnswered(seller: PaidSeller, payment: Payment, sending?: Sending): Promise<Reply> {
  const isPassing = ({ status }: Reply) =>
    status === 0 || status === 409 || status === 425 || status === 429 || status >= 500;
  for (const deadline = Date.now() + 25_000; ; await sleep(300)) {
    const reply = await seller.pay(payment, sending);
    if (!isPassing(reply) || Date.now() > deadline) return reply;
  }
}

/** A payment that a seller must not take: not delivered, and no money moved to the payee. */
export async function isRefused(seller: PaidSeller, reply: Reply): Promise<Finding> {
  const transfers = await seller.ledger.transfers();
  if (isDelivery(reply)) return fail(`It was served, with ${transfers} transfers.`, reply);
  if (transfers > 0) return fail(`It was refused, with ${transfers} transfers.`, reply);
  return reply.status >= 400 && reply.status < 500
    ? pass
    : fail('The refusal is no answer of the 4xx class.', reply);
}

/**
 * An answer that fits what happened to the money: nothing is delivered unpaid, and 402, which says that the payment failed, is not
 * said of money that the payee has. What else is not delivered yet, the ledger of the case asks for again.
 */
export async function fitsTheMoney(seller: PaidSeller, reply: Reply): Promise<Finding> {
  // A transaction may be included just after the answer.
  for (let waited = 0; waited < 2_500 && (await seller.ledger.transfers()) === 0; waited += 250)
    await sleep(250);
  const transfers = await seller.ledger.transfers();
  if (transfers > 1) return fail(`The payee received ${transfers} transfers.`, reply);
  if (isDelivery(reply)) return transfers === 1 ? pass : fail('It was served without a transfer.', reply);
  return reply.status === 402 && transfers === 1 && !isPending(reply)
    ? fail('It was answered 402, and the payee has the money.', reply)
    : pass;
}

/** Whether the answer says that the payment may still succeed, in which transaction. The next answer has to say that it has. */
function isPending({ headers }: Reply): boolean {
  const header = headers.get('payment-response');
  if (header === null) return false;
  try {
    const { errorReason, transaction } = decodePaymentResponseHeader(header);
    return errorReason === 'settlement_pending' && transaction !== '';
  } catch {
    return false;
  }
}

/** All of these payments at once, each by its own request. */
export const payTogether = (seller: PaidSeller, payments: readonly Payment[]): Promise<Reply[]> =>
  Promise.all(payments.map((payment) => seller.pay(payment)));
