import type { Operator } from '@/lib/operator/actions';
import type { Payments } from '@/lib/payments/app-payments';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Platform } from '@/lib/platform/platform';
import { bookTransfers, keepMoney } from '../transfers/book-transfers';
import { findPayments, type TransactionPayments, type TransferRequest } from '../transfers/find-transfers';
import { TransferError } from '../transfers/transfer-error';

interface TransfersDeps extends WithDatabase, Pick<Platform, 'settings' | 'clock'> {
  readonly payments: Payments;
}

/** Transfers that belong to no call, for the console: problems are returned as text. */

/** The payments to us in a transaction, and which of them the ledger has. */
export async function findTransfers(
  app: TransfersDeps,
  request: TransferRequest,
): Promise<{ readonly problem: string } | TransactionPayments> {
  let found: TransactionPayments | undefined;
  const problem = await problemOf(async () => {
    found = await findPayments(app, request);
  });
  return found ?? { problem: problem ?? '' };
}

/** Books the payments that the ledger does not have. @returns what is wrong; null when they are booked */
export function book(
  app: TransfersDeps,
  operator: Operator,
  request: TransferRequest,
  note: string,
): Promise<string | null> {
  return problemOf(() => bookTransfers(app, operator, request, note));
}

/** Keeps the money of a booked transfer. @returns what is wrong; null when it is kept */
export function keep(
  app: TransfersDeps,
  operator: Operator,
  paidCallId: string,
  note: string,
): Promise<string | null> {
  return problemOf(() => keepMoney(app, operator, paidCallId, note));
}

async function problemOf(work: () => Promise<unknown>): Promise<string | null> {
  try {
    await work();
    return null;
  } catch (error) {
    if (error instanceof TransferError) return error.message;
    throw error;
  }
}
