import {
  legalMoves,
  legalSettlementMoves,
  openSettlementStates,
  type PaidCallStep,
} from '@/lib/ledger/states';
import type { Tables } from './memory-database';
import type { PaidCallRow, PostingRow, SettlementTransactionRow } from './memory-rows';
import { checkViolation, DatabaseError, nullViolation } from './memory-table';

/** What the triggers of the migrations do, as far as the tables here have it. */

const treasury = (network: string) => `chain:${network}:treasury`;
const gasWallet = (network: string, signer: string | null) => `chain:${network}:gas:${signer}`;
const gasExpense = (network: string) => `expense:gas:${network}`;
const gasExpenseInVain = (network: string) => `expense:gas_in_vain:${network}`;
const unclaimed = (network: string) => `chain:${network}:unclaimed`;
const prepaid = (payer: string) => `prepaid:${payer}`;
const revenue = (operation: string) => `revenue:${operation}`;
const balance = (account: string) => `account:${account}`;
const reorganizedDeposits = 'receivable:reorganized-deposits';

export function refuseIllegalMove(tables: Tables, before: PaidCallRow | null, after: PaidCallRow): void {
  const { id, state } = after;
  if (!before) {
    if (state !== 'claimed' && state !== 'settling')
      throw new DatabaseError(checkViolation, `paid call ${id} may not begin as ${state}`);
    return;
  }
  if (before.state === state) return;
  if (!legalMoves[before.state].includes(state))
    throw new DatabaseError(checkViolation, `paid call ${id} may not move from ${before.state} to ${state}`);
  if (state === 'refunded' && !confirmedRefund(tables, id))
    throw new DatabaseError(checkViolation, `paid call ${id} has no confirmed refund`);
}

function confirmedRefund({ refund }: Tables, paidCallId: string) {
  return refund.first((row) => row.paidCallId === paidCallId && row.state === 'confirmed');
}

/** Records the move of a call and posts its money. */
export function recordMove(tables: Tables, before: PaidCallRow | null, after: PaidCallRow): void {
  if (before?.state === after.state) return;
  const { state, movedAt: at, moveNote } = after;
  const step = (fromState: PaidCallStep | null, toState: PaidCallStep) => {
    const id = tables.paidCallMove.nextNumber;
    tables.paidCallMove.insert({
      id,
      paidCallId: after.id,
      fromState,
      toState,
      at,
      note: before && moveNote,
    });
  };
  if (!before) {
    step(null, 'claimed');
    if (state === 'settling') step('claimed', 'settling');
    return;
  }
  // What was prepared is stored together with the permission to charge, so no call rests in `prepared`.
  if (before.state === 'claimed' && state === 'settling') {
    step('claimed', 'prepared');
    step('prepared', 'settling');
  } else step(before.state, state);
  if (['settled', 'delivered', 'kept', 'refunded'].includes(state)) {
    post(tables, {
      paidCallId: after.id,
      settlementId: null,
      kind: state,
      round: after.reorganizations,
      debitAccount: debitOf(before, after),
      creditAccount: creditOf(tables, before, after),
      amountAtomic: after.amountAtomic,
      unit: 'usdc',
      at,
    });
  }
  if (state === 'unknown' && before.state !== 'settling') reversePostings(tables, before, after);
}

function debitOf(before: PaidCallRow, { state, operation, payer, network, channelId }: PaidCallRow): string {
  if (state === 'refunded' && before.state !== 'needs_attention') return revenue(operation);
  if (state !== 'settled') return prepaid(payer);
  if (network === 'account') return balance(payer);
  return channelId === null ? treasury(network) : unclaimed(network);
}

function creditOf(tables: Tables, before: PaidCallRow, after: PaidCallRow): string {
  if (after.state === 'refunded') {
    const refund = confirmedRefund(tables, after.id);
    return refund?.method === 'account' ? balance(refund.recipient) : treasury(refund?.network ?? '');
  }
  if (after.state === 'settled') return prepaid(after.payer);
  if (after.creditedAccount === null) return revenue(after.operation);
  // Credited before a reorganization, and settled again: what was owed to us is paid.
  return before.creditedAccount === null ? balance(after.creditedAccount) : reorganizedDeposits;
}

/** What was credited to a prepaid account may be spent: it stays there, and is owed to us. */
function reversePostings(tables: Tables, before: PaidCallRow, after: PaidCallRow): void {
  const posted = tables.posting.where(
    ({ paidCallId, round, kind }) =>
      paidCallId === after.id &&
      round === before.reorganizations &&
      ['settled', 'delivered', 'kept'].includes(kind),
  );
  for (const { id: _, ...posting } of posted) {
    const isCredited =
      after.creditedAccount !== null && posting.creditAccount === balance(after.creditedAccount);
    post(tables, {
      ...posting,
      kind: `${posting.kind}_reversed`,
      debitAccount: isCredited ? reorganizedDeposits : posting.creditAccount,
      creditAccount: posting.debitAccount,
      at: after.movedAt,
    });
  }
}

function post(tables: Tables, posting: Omit<PostingRow, 'id'>): void {
  tables.posting.insert({ id: tables.posting.nextNumber, ...posting });
}

export function refuseIllegalSettlement(
  before: SettlementTransactionRow | null,
  { id, state }: SettlementTransactionRow,
): void {
  if (!before) {
    if (state !== 'prepared' && state !== 'confirmed')
      throw new DatabaseError(checkViolation, `settlement transaction ${id} may not begin as ${state}`);
    return;
  }
  if (before.state === state || legalSettlementMoves[before.state].includes(state)) return;
  const message = `settlement transaction ${id} may not move from ${before.state} to ${state}`;
  throw new DatabaseError(checkViolation, message);
}

/** Posts what a transaction cost when it is found in a block, and reverses it when it is no longer there. */
export function recordFee(
  tables: Tables,
  before: SettlementTransactionRow | null,
  after: SettlementTransactionRow,
): void {
  if (!before || before.state === after.state) return;
  const { id: settlementId, network, signer, reorganizations: round } = after;
  const about = { paidCallId: null, settlementId };
  if (after.state === 'confirmed') {
    const fee = { ...about, round, unit: after.feeUnit ?? '', at: after.confirmedAt ?? new Date(0) };
    const [spent, inVain] = [after.feeAtomic ?? 0n, after.feeInVainAtomic ?? 0n];
    if (spent > 0n && signer === null) throw nullViolation('credit_account', 'posting');
    const [debitAccount, creditAccount] = [gasExpense(network), gasWallet(network, signer)];
    if (spent > 0n) post(tables, { ...fee, kind: 'gas', debitAccount, creditAccount, amountAtomic: spent });
    const moved = {
      debitAccount: gasExpenseInVain(network),
      creditAccount: debitAccount,
      amountAtomic: inVain,
    };
    if (inVain > 0n) post(tables, { ...fee, kind: 'gas_in_vain', ...moved });
  } else if (before.state === 'confirmed') {
    const posted = tables.posting.where(
      (posting) =>
        posting.settlementId === settlementId &&
        posting.round === before.reorganizations &&
        ['gas', 'gas_in_vain'].includes(posting.kind),
    );
    for (const { id: _, ...posting } of posted) {
      const { debitAccount: creditAccount, creditAccount: debitAccount, kind } = posting;
      const at = after.reorganizedAt ?? new Date(0);
      post(tables, { ...posting, kind: `${kind}_reversed`, debitAccount, creditAccount, at });
    }
  }
}

/**
 * A block included another transaction with the nonce of an open one. Both carry the same payments, so its calls are paid
 * by the other one.
 */
export function followReplacement(
  { settlementTransaction, paidCall }: Tables,
  before: SettlementTransactionRow | null,
  after: SettlementTransactionRow,
): void {
  if (before === null || !openSettlementStates.includes(before.state) || after.state !== 'replaced') return;
  const included = settlementTransaction.first(
    ({ network, signer, nonce, state }) =>
      network === after.network && signer === after.signer && nonce === after.nonce && state === 'confirmed',
  );
  if (!included) return;
  for (const call of paidCall.where(({ settlementId }) => settlementId === after.id))
    paidCall.update(call, { settlementId: included.id, transactionHash: included.hash });
}
