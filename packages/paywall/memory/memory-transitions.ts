import { refundEvents } from '@/lib/ledger/refund-states';
import { callEvents, settlementEvents } from '@/lib/ledger/states';
import type { PaidCallRow, RefundRow, SettlementTransactionRow } from './memory-rows';

/** The moves of lib/ledger/states.ts and refund-states.ts, applied to rows in memory as lib/ledger/transition.ts composes them into statements. */

interface AnyEvent {
  readonly from: readonly string[];
  readonly to: string;
  readonly only?: Readonly<Record<string, 'empty' | 'filled'>>;
  readonly sets: Readonly<Record<string, unknown>>;
}

type Columns = Readonly<Record<string, unknown>>;

/**
 * What an event changes in a row; null when it cannot happen to the row.
 * @param given the values of the columns that the event does not fix
 */
function changesOf(event: AnyEvent, row: Columns, at: Date, given: Columns): Columns | null {
  const { from, to, only = {}, sets } = event;
  const isMet = Object.entries(only).every(
    ([column, is]) => (row[camelCase(column)] === null) === (is === 'empty'),
  );
  if (!isMet || !from.some((state) => state === row.state)) return null;
  const changed = Object.entries(sets).map(([name, change]) => {
    const column = camelCase(name);
    if (change === 'at') return [column, at];
    if (change === 'next') return [column, Number(row[column]) + 1];
    if (change === 'given') return [column, given[column]];
    return [column, change];
  });
  return { ...Object.fromEntries(changed), state: to };
}

const camelCase = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

/** What an event changes in a call; null when it cannot happen to it. */
export function moveOfCall(
  name: keyof typeof callEvents,
  row: PaidCallRow,
  { at, moveNote, ...given }: Partial<PaidCallRow> & { readonly at: Date; readonly moveNote: string | null },
): Partial<PaidCallRow> | null {
  const changes = changesOf(callEvents[name], { ...row }, at, given);
  return changes && { ...changes, movedAt: at, moveNote };
}

/** What an event changes in a settlement transaction; null when it cannot happen to it. */
export function moveOfSettlement(
  name: keyof typeof settlementEvents,
  row: SettlementTransactionRow,
  { at, ...given }: Partial<SettlementTransactionRow> & { readonly at: Date },
): Partial<SettlementTransactionRow> | null {
  return changesOf(settlementEvents[name], { ...row }, at, given);
}

/** What an event changes in a refund; null when it cannot happen to it. */
export function moveOfRefund(
  name: keyof typeof refundEvents,
  row: RefundRow,
  { at, moveNote, ...given }: Partial<RefundRow> & { readonly at: Date; readonly moveNote: string | null },
): Partial<RefundRow> | null {
  const changes = changesOf(refundEvents[name], { ...row }, at, given);
  return changes && { ...changes, movedAt: at, moveNote };
}
