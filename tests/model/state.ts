import type { Event } from '@/lib/ledger/state-machine';
import {
  callEvents,
  type PaidCallState,
  paidStates,
  prepaidStates,
  type SettlementState,
  settlementEvents,
} from '@/lib/ledger/states';

/**
 * What the model of one paid call is made of: the row of the call, the rows of its transactions, one payment on a chain, and two
 * processes. Rows move only by the events of the product's own tables, under their conditions, and what an event sets is set.
 */

export const processNames = ['A', 'B'] as const;
export type ProcessName = (typeof processNames)[number];

/** A process by its name in the ledger; `dead` is one that was killed, and whose heartbeat still counts. */
export type Holder = ProcessName | 'dead';

/** The columns of the call that decide its moves, or what is done for it. All others are left out. */
export interface Row {
  readonly state: PaidCallState;
  readonly worked_by: Holder | null;
  readonly refusal_reason: 'payment' | 'preparation' | null;
  readonly refusal_final_at: 'set' | null;
  /** Which transaction makes the payment: ours or somebody else's. The column `transaction_hash` is set together with it. */
  readonly settlement_id: 'ours' | 'other' | null;
  readonly transaction_hash: 'ours' | 'other' | null;
  readonly input: 'kept' | null;
  readonly prepared: 'kept' | null;
  readonly answer: Answer | null;
}

/** What was bought, or the error that says that the payment is kept. */
export type Answer = 'delivered' | 'kept';

/** A row of `settlement_transaction`. */
export interface Transaction {
  readonly state: SettlementState;
  readonly raw: 'kept' | null;
  readonly final_at: 'set' | null;
  /** Whether its recorded block is not in the chain: a reorganization removed it, or a node made it up. */
  readonly isGone: boolean;
  /** Whether the charge failed in its block. The ledger has this as gas that was spent in vain. */
  readonly isInVain: boolean;
}

/** The only payment, and our transaction with it. */
export interface Chain {
  /** How its authorization was used, in the chain as it is now. */
  readonly payment: 'unused' | 'ours' | 'other' | 'canceled';
  readonly isFinal: boolean;
  /** Where our transaction is. It is `failed` in a block in which the payment could not be made. */
  readonly ours: 'nowhere' | 'mempool' | 'block' | 'failed' | 'replaced';
  readonly isFailureFinal: boolean;
  /** 0: the payment is valid; 1: not by our clocks; 2: not at the head of the chain; 3: not in its final blocks either. */
  readonly time: 0 | 1 | 2 | 3;
  /** Whether the payer has the money. */
  readonly isFunded: boolean;
  readonly isPublic: boolean;
}

/** How often something may still happen that could happen any number of times. Kills are not limited. */
export interface Limits {
  readonly lies: number;
  readonly reorganizations: number;
  /** How often a process seems dead to the other one. */
  readonly silences: number;
  /** How often the payer's money comes or goes. */
  readonly transfers: number;
}

/** Where a process is in its work on the call, and what it remembers meanwhile. */
export interface Process {
  readonly at: string;
  /** The request that waits for it; 0 for recovery. */
  readonly request: 0 | 1 | 2;
  /** What it has learned in its last step. */
  readonly known: string;
  /** The answer that was stored when it took the call over. */
  readonly answer: Answer | null;
  /** Whether it follows our transaction. */
  readonly follows: boolean;
  /** The step with which it handles a charge that failed in a block; empty when there is none. */
  readonly failed: string;
  /** Whether it hangs as far as others can tell. */
  readonly isSilent: boolean;
}

export interface State {
  readonly row: Row | null;
  readonly ours: Transaction | null;
  readonly other: Transaction | null;
  readonly chain: Chain;
  /** Who holds the settlement key. */
  readonly key: Holder | null;
  readonly processes: Readonly<Record<ProcessName, Process>>;
  readonly limits: Limits;
  /** The books: what the triggers have posted. */
  readonly books: { readonly treasury: number; readonly prepaid: number; readonly revenue: number };
  /** What was bought so far for the payment: calls, and debits where it is an account's. */
  readonly calls: number;
  readonly debits: number;
  /** The answer that was given to the owner of the payment. */
  readonly told: Answer | null;
  /** Whether somebody was told that nothing is charged, and nobody has asked for the call since. */
  readonly isDenied: boolean;
  /** Whether a reorganization has removed a block in which the payment failed or was canceled, so that it can be made after all. */
  readonly isDisturbed: boolean;
  /** What a step broke, for promises about steps rather than states. */
  readonly broken: string;
  /** The events of the product's tables that led here in the last step. Not part of the state. */
  readonly events: readonly string[];
}

const idle: Process = {
  at: 'idle',
  request: 0,
  known: '',
  answer: null,
  follows: false,
  failed: '',
  isSilent: false,
};

export const noWork = ({ isSilent, follows, failed }: Process): Process => ({
  ...idle,
  isSilent,
  follows,
  failed,
});

export const initial = (limits: Limits): State => ({
  row: null,
  ours: null,
  other: null,
  chain: {
    payment: 'unused',
    isFinal: false,
    ours: 'nowhere',
    isFailureFinal: false,
    time: 0,
    isFunded: true,
    isPublic: false,
  },
  key: null,
  processes: { A: idle, B: idle },
  limits,
  books: { treasury: 0, prepaid: 0, revenue: 0 },
  calls: 0,
  debits: 0,
  told: null,
  isDenied: false,
  isDisturbed: false,
  broken: '',
  events: [],
});

const codes = new Map<string, string>();
/** Of the parts seen lately. A WeakMap takes twice as long, most of it in the garbage collector. */
const codesOf = new Map<object, string>();
const codesKept = 500_000;

/** A short text that is the same for parts with the same content. Most parts are shared by many states, so their codes are kept. */
function codeOf(part: object | null): string {
  if (part === null) return '-';
  const known = codesOf.get(part);
  if (known !== undefined) return known;
  const content = Object.values(part).join();
  const code = codes.get(content) ?? codes.size.toString(36);
  codes.set(content, code);
  if (codesOf.size === codesKept) codesOf.clear();
  codesOf.set(part, code);
  return code;
}

const swapped = { A: 'B', B: 'A', dead: 'dead' } as const;
const swappedRows = new WeakMap<Row, Row>();

/** The row with the names of the two processes exchanged. */
function swappedRow(row: Row): Row {
  const { worked_by } = row;
  if (worked_by === null || worked_by === 'dead') return row;
  const known = swappedRows.get(row) ?? { ...row, worked_by: swapped[worked_by] };
  swappedRows.set(row, known);
  return known;
}

/** A text that is the same for the same state. Which of the two processes is which makes no difference. */
export function keyOf(state: State): string {
  const { row, ours, other, chain, key, processes, books, limits } = state;
  const { calls, debits, told, isDenied, isDisturbed, broken } = state;
  const [a, b] = [codeOf(processes.A), codeOf(processes.B)];
  const shared = `${codeOf(ours)} ${codeOf(other)} ${codeOf(chain)} ${codeOf(books)} ${codeOf(limits)} ${calls} ${debits} ${told} ${isDenied} ${isDisturbed} ${broken}`;
  const one = `${codeOf(row)} ${key} ${a} ${b} ${shared}`;
  const two = `${codeOf(row && swappedRow(row))} ${key && swapped[key]} ${b} ${a} ${shared}`;
  return one < two ? one : two;
}

export type CallEventName = keyof typeof callEvents;
type SettlementEventName = keyof typeof settlementEvents;
type Columns = Readonly<Record<string, unknown>>;

/** Whether an event of a table can happen to a row. */
function isLegal({ from, only = {} }: Event<string>, row: Columns): boolean {
  return (
    from.includes(String(row.state)) &&
    Object.entries(only).every(([column, is]) => {
      if (!(column in row)) throw new Error(`the model needs the column ${column}`);
      return (row[column] === null) === (is === 'empty');
    })
  );
}

/** The columns of a row after an event. Columns that the model leaves out are not set. */
function afterEvent<R extends Columns>(row: R, { to, sets }: Event<string>, given: Partial<R>): R {
  const after: Record<string, unknown> = { ...row, state: to };
  for (const [column, change] of Object.entries(sets)) {
    if (!(column in row)) continue;
    if (change === null) after[column] = null;
    if (change === 'at') after[column] = 'set';
    if (change !== 'given') continue;
    if (!(column in given)) throw new Error(`nothing is given for ${column}`);
    after[column] = given[column];
  }
  // The columns of the row, with values that its table sets.
  return after as R;
}

/** Moves the call by the first of these events that is legal; null when none is. */
export function move(state: State, names: readonly CallEventName[], given: Partial<Row> = {}): State | null {
  const { row } = state;
  const name = row && names.find((one) => isLegal(callEvents[one], { ...row }));
  if (!row || !name) return null;
  const moved: Row = { ...row, ...afterEvent<Columns>({ ...row }, callEvents[name], given) };
  return {
    ...state,
    row: moved,
    books: posted(state.books, row.state, moved.state),
    events: [...state.events, `${name}: ${row.state} > ${moved.state}`],
  };
}

/** What the trigger `record_moves` posts. */
function posted(books: State['books'], from: PaidCallState, to: PaidCallState): State['books'] {
  const { treasury, prepaid, revenue } = books;
  switch (to) {
    case 'settled':
      return { ...books, treasury: treasury + 1, prepaid: prepaid + 1 };
    case 'delivered':
    case 'kept':
      return { ...books, prepaid: prepaid - 1, revenue: revenue + 1 };
    case 'refunded':
      return from === 'needs_attention'
        ? { ...books, treasury: treasury - 1, prepaid: prepaid - 1 }
        : { ...books, treasury: treasury - 1, revenue: revenue - 1 };
    case 'unknown':
      // What was posted in this round is reversed.
      return paidStates.includes(from) ? { treasury: 0, prepaid: 0, revenue: 0 } : books;
    default:
      return books;
  }
}

/** Whether the books say what the state of the call says. */
export function isBalanced({ books, row }: State): boolean {
  const of = (states: readonly PaidCallState[]) => (row !== null && states.includes(row.state) ? 1 : 0);
  const isPaid = row?.state === 'refunded' ? 0 : of(paidStates);
  return (
    books.treasury === isPaid &&
    books.prepaid === of(prepaidStates) &&
    books.revenue === of(['delivered', 'kept'])
  );
}

/** Moves one of the two transactions by the first of these events that is legal; null when none is. */
export function moveTransaction(
  state: State,
  which: 'ours' | 'other',
  names: readonly SettlementEventName[],
  after: Partial<Transaction> = {},
): State | null {
  const row = state[which];
  const name = row && names.find((one) => isLegal(settlementEvents[one], { ...row }));
  if (!row || !name) return null;
  const moved: Transaction = {
    ...row,
    ...afterEvent<Columns>({ ...row }, settlementEvents[name], {}),
    ...after,
  };
  return {
    ...state,
    [which]: moved,
    events: [...state.events, `transaction ${name}: ${row.state} > ${moved.state}`],
  };
}
