import type { NewRefund, Refund } from '@/lib/ledger/refund-records';
import type { Operator } from '@/lib/operator/actions';
import { RefundError } from './refund-error';
import type { RefundBeginning, RefundChange } from './refund-store';
import { findRefundable, type RefundsApp } from './refundable';

/** Begins a refund. @throws RefundError; nothing is recorded then */
export async function beginRefund(
  app: RefundsApp,
  operator: Operator,
  terms: NewRefund,
  how: RefundBeginning,
): Promise<Refund> {
  const now = app.clock.date();
  const checkAt = new Date(now.getTime() + app.timings.refunds.checkFirstMs);
  try {
    return await app.refunds.begin(terms, how, checkAt, { operator, note: terms.note, now });
  } catch (error) {
    throw await explain(app, terms, error);
  }
}

/** Changes a refund. @throws RefundError; nothing is changed then */
export async function changeRefund(
  app: RefundsApp,
  operator: Operator,
  refund: Refund,
  change: RefundChange,
  note: string | null = null,
): Promise<void> {
  const step = { operator, note, now: app.clock.date() };
  const isChanged = await app.refunds.change(refund, change, step).catch((cause: unknown) => {
    if (isViolation(cause)) throw new RefundError('transfer_used', null, { cause });
    throw cause;
  });
  if (!isChanged) throw new RefundError('refund_changed');
}

/** Explains what the database refused: another operator was faster, or the call has moved. */
async function explain(
  app: RefundsApp,
  { paidCallId, accountId }: NewRefund,
  error: unknown,
): Promise<unknown> {
  if (!isViolation(error)) return error;
  const { problem } = (await findRefundable(app, paidCallId)) ?? {};
  if (problem) return new RefundError(problem, null, { cause: error });
  if (accountId !== null) return new RefundError('account_not_open', null, { cause: error });
  return new RefundError('transfer_used', null, { cause: error });
}

/** Whether a unique key (23505) or a check (23514) of the database refused it. */
export function isViolation(error: unknown): boolean {
  return /23505|23514|P2002|P2004/.test(JSON.stringify(error));
}
