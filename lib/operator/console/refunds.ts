import { z } from 'zod';
import type { Operator } from '@/lib/db/operator-actions';
import type { OperatorApp } from '../app';
import { examineAccount, examineCancellation, examineTransfer, refundRequest } from '../refunds/examine';
import { describeProblem, RefundError } from '../refunds/refund-error';
import { findRefundable, type Refundable } from '../refunds/refundable';
import { cancelRefund, refundByTransfer, refundIntoAccount } from '../refunds/request';

/** Refunds as the console asks for them: what is wrong comes back in words. */

/** A refund that an operator has filled in. */
export const refundOrder = z.discriminatedUnion('method', [
  refundRequest.extend({
    method: z.literal('transfer'),
    transactionHash: z.string().trim().min(1).max(128),
  }),
  refundRequest.extend({ method: z.literal('account'), accountId: z.string().trim().min(1).max(64) }),
]);
export type RefundOrder = z.output<typeof refundOrder>;

/** Whether and how a call can be refunded, with the problem in words. Null when there is no such call. */
export async function findRefundOptions(
  app: OperatorApp,
  paidCallId: string,
): Promise<(Refundable & { readonly problemText: string | null }) | null> {
  const found = await findRefundable(app, paidCallId);
  return found && { ...found, problemText: found.problem && describeProblem(found.problem) };
}

/** Checks a refund and records nothing. @returns what is wrong; null when it can be made */
export function examineOrder(app: OperatorApp, order: RefundOrder): Promise<string | null> {
  return problemOf(async () => {
    if (order.method === 'transfer') await examineTransfer(app, order);
    else await examineAccount(app, order);
  });
}

/** Makes a refund. @returns what is wrong; null when it is made */
export function carryOut(app: OperatorApp, operator: Operator, order: RefundOrder): Promise<string | null> {
  return problemOf(async () => {
    if (order.method === 'transfer') await refundByTransfer(app, operator, order);
    else await refundIntoAccount(app, operator, order);
  });
}

/** Whether a refund can be cancelled. @returns what is wrong; null when it can */
export function examineCancel(app: OperatorApp, refundId: string): Promise<string | null> {
  return problemOf(() => examineCancellation(app, refundId));
}

/** Cancels a refund. @returns what is wrong; null when it is cancelled */
export function cancel(
  app: OperatorApp,
  operator: Operator,
  refundId: string,
  note: string,
): Promise<string | null> {
  return problemOf(() => cancelRefund(app, operator, refundId, note));
}

async function problemOf(work: () => Promise<unknown>): Promise<string | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof RefundError) return error.message;
    throw error;
  }
}
