import { dayMs } from '@/lib/platform/durations';
import type { Tables } from './memory-database';
import type { MemoryProcess } from './memory-process';
import type { PaidCallRow, SettlementTransactionRow } from './memory-rows';

/**
 * Erases what ended more than a day ago, because memory is limited. Who repeats such a request is not charged: the chain refuses a
 * used payment. What was paid and is not delivered stays.
 */
export function eraseEnded(process: MemoryProcess, now: Date): Promise<void> {
  const before = new Date(now.getTime() - dayMs);
  return process.query((tables) => {
    const { paidCall, paidCallMove, posting, settlementTransaction, gasInVain, transferWithoutCall } = tables;
    const calls = paidCall.where((call) => call.movedAt < before && hasEnded(tables, call));
    for (const call of calls) paidCall.delete(call);
    const inUse = new Set(paidCall.all().map(({ settlementId }) => settlementId));
    const transactions = settlementTransaction.where(
      (row) => row.createdAt < before && isOver(row) && !inUse.has(row.id),
    );
    for (const row of transactions) settlementTransaction.delete(row);
    const erased = new Set<string | null>([...calls, ...transactions].map(({ id }) => id));
    const isOfErased = (row: { readonly paidCallId: string | null; readonly settlementId?: string | null }) =>
      erased.has(row.paidCallId) || erased.has(row.settlementId ?? null);
    for (const row of paidCallMove.where(isOfErased)) paidCallMove.delete(row);
    for (const row of posting.where(isOfErased)) posting.delete(row);
    for (const row of gasInVain.where(isOfErased)) gasInVain.delete(row);
    const found = transferWithoutCall.where(({ foundAt }) => foundAt < before);
    for (const row of found) transferWithoutCall.delete(row);
  });
}

function hasEnded({ settlementTransaction }: Tables, call: PaidCallRow): boolean {
  if (call.state === 'refused') return call.refusalFinalAt !== null;
  if (call.state !== 'delivered' && call.state !== 'kept') return false;
  const settlement = settlementTransaction.get(call.settlementId ?? '');
  return !settlement || isOver(settlement);
}

/** Whether nothing more happens to a transaction. */
function isOver({ state, finalAt }: SettlementTransactionRow): boolean {
  return finalAt !== null || state === 'replaced' || state === 'vanished';
}
