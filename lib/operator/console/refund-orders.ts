import { z } from 'zod';
import type { Operator } from '@/lib/operator/actions';
import { signedTransfer, type WalletTransfer } from '@/lib/payments/refund-transfer';
import {
  examineAccount,
  examineCancellation,
  examineTransfer,
  findForRequest,
  readerOf,
  refundRequest,
} from '../refunds/examine-refund';
import { describeProblem, RefundError, type RefundProblem } from '../refunds/refund-error';
import { findRefundable, type Refundable, type RefundsApp } from '../refunds/refundable';
import { cancelRefund, refundByTransfer, refundIntoAccount, requestRefund } from '../refunds/request-refund';
import { recordSent, type SignedRefund, takeSigned, walletTransfer } from '../refunds/wallet-refund';

/** Refunds for the console: problems are returned, with words for the operator. */

/** Why something cannot be done. */
export interface OrderProblem {
  readonly code: RefundProblem;
  readonly text: string;
}

/** A refund that an operator has filled in. */
export const refundOrder = z.discriminatedUnion('method', [
  refundRequest.extend({ method: z.literal('wallet') }),
  refundRequest.extend({
    method: z.literal('transfer'),
    transactionHash: z.string().trim().min(1).max(128),
  }),
  refundRequest.extend({ method: z.literal('account'), accountId: z.string().trim().min(1).max(64) }),
]);
export type RefundOrder = z.output<typeof refundOrder>;

/** Whether and how a call can be refunded, with the problem in words. Null when there is no such call. */
export async function findRefundOptions(
  app: RefundsApp,
  paidCallId: string,
): Promise<(Refundable & { readonly problemText: string | null }) | null> {
  const found = await findRefundable(app, paidCallId);
  return found && { ...found, problemText: found.problem && describeProblem(found.problem) };
}

/** Checks a refund and records nothing. @returns what is wrong; null when it can be made */
export function examineOrder(app: RefundsApp, order: RefundOrder): Promise<OrderProblem | null> {
  return problemOf(async () => {
    if (order.method === 'transfer') await examineTransfer(app, order);
    else if (order.method === 'account') await examineAccount(app, order);
    else readerOf(app, (await findForRequest(app, order)).call.network);
  });
}

/** Makes a refund; one from a wallet is only requested, for the wallet to sign. @returns what is wrong; null when it is made */
export function carryOut(
  app: RefundsApp,
  operator: Operator,
  order: RefundOrder,
): Promise<OrderProblem | null> {
  return problemOf(async () => {
    if (order.method === 'transfer') await refundByTransfer(app, operator, order);
    else if (order.method === 'account') await refundIntoAccount(app, operator, order);
    else await requestRefund(app, operator, order);
  });
}

/** The steps that the script of the signing page takes, in this order. On Solana the second step is the last one. */
export const signingStep = z.discriminatedUnion('step', [
  z.strictObject({ step: z.literal('ask'), refundId: z.string().max(64) }),
  z.strictObject({ step: z.literal('signed'), refundId: z.string().max(64), signed: signedTransfer }),
  z.strictObject({ step: z.literal('sent'), refundId: z.string().max(64), hash: z.string().max(128) }),
]);
export type SigningStep = z.output<typeof signingStep>;

/** The answer to each step. */
export interface SigningAnswers {
  readonly ask: WalletTransfer;
  readonly signed: SignedRefund;
  readonly sent: { readonly state: string };
}

/** Takes a step of signing. @returns what is wrong, or the step's answer */
export async function takeSigningStep(
  app: RefundsApp,
  operator: Operator,
  taken: SigningStep,
): Promise<{ readonly problem: string } | SigningAnswers[SigningStep['step']]> {
  let answer: SigningAnswers[SigningStep['step']] | undefined;
  const problem = await problemOf(async () => {
    answer = await answerTo(app, operator, taken);
  });
  return answer ?? { problem: problem?.text ?? '' };
}

async function answerTo(
  app: RefundsApp,
  operator: Operator,
  taken: SigningStep,
): Promise<SigningAnswers[SigningStep['step']]> {
  const { refundId } = taken;
  if (taken.step === 'ask') return walletTransfer(app, operator, refundId);
  if (taken.step === 'signed') return takeSigned(app, operator, refundId, taken.signed);
  const { state } = await recordSent(app, operator, refundId, taken.hash);
  return { state };
}

/** Whether a refund can be cancelled. @returns what is wrong; null when it can */
export function examineCancel(app: RefundsApp, refundId: string): Promise<OrderProblem | null> {
  return problemOf(() => examineCancellation(app, refundId));
}

/** Cancels a refund. @returns what is wrong; null when it is cancelled */
export function cancel(
  app: RefundsApp,
  operator: Operator,
  refundId: string,
  note: string,
): Promise<OrderProblem | null> {
  return problemOf(() => cancelRefund(app, operator, refundId, note));
}

async function problemOf(work: () => Promise<unknown>): Promise<OrderProblem | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof RefundError) return { code: error.code, text: error.message };
    throw error;
  }
}
