import { csvText } from '@/lib/platform/csv';
import type { CallStatus } from './call-status';

const columns = [
  'date',
  'operation',
  'network',
  'amount',
  'currency',
  'transaction',
  'paidCallId',
  'state',
  'spent',
  'refundTransaction',
] as const;

/**
 * The calls of a wallet for bookkeeping, one per line. `amount` is the price; `spent` is what the wallet has paid for
 * the call in the end, so that the column adds up.
 */
export function spendingCsv(calls: readonly CallStatus[]): string {
  return csvText([columns, ...calls.map((call) => lineOf(call))]);
}

function lineOf({ id, operation, state, price, network, transaction, createdAt, ...call }: CallStatus) {
  const cells: Readonly<Record<(typeof columns)[number], string>> = {
    date: createdAt,
    operation,
    network,
    amount: price,
    currency: call.currency,
    transaction: transaction ?? '',
    paidCallId: id,
    state,
    spent: spentOf(call.payment, price),
    refundTransaction: call.refund?.transaction ?? '',
  };
  return columns.map((column) => cells[column]);
}

/** Empty while it is not known whether the payment was carried out. */
function spentOf(payment: CallStatus['payment'], price: string): string {
  if (payment === 'kept') return price;
  return payment === 'refunded' ? '0' : '';
}
