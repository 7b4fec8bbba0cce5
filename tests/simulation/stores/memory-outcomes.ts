import { reversibleStates } from '@/lib/ledger/states';
import type { MinedTransaction } from '@/lib/payments/journal';
import { feeUnitOf } from '@/lib/payments/networks';
import type { Outcome } from '@/lib/payments/payment';
import { isOpen, isSubmitted } from './memory-charges';
import type { Tables } from './memory-database';
import { losePreconfirmed } from './memory-preconfirmations';
import type { MemoryProcess } from './memory-process';
import type { GasInVainRow, PaidCallRow, SettlementTransactionRow } from './memory-rows';

/** The columns of a new settlement transaction that are empty unless something is known about them. */
export const emptySettlement = {
  signer: null,
  nonce: null,
  raw: null,
  blockNumber: null,
  blockHash: null,
  gasUsed: null,
  feeAtomic: null,
  feeInVainAtomic: null,
  feeUnit: null,
  reorganizations: 0,
  reorganizedAt: null,
  preconfirmedAt: null,
  confirmedAt: null,
  finalAt: null,
} as const;

/** The voucher of the call was charged, and a reorganization has since removed its deposit. */
const isChargedBefore = (call: PaidCallRow) =>
  call.channelId !== null && call.reorganizations > 0 && isSubmitted(call);

/** The transaction is in a block: records what it cost, and what it did to each payment. */
export function mine(tables: Tables, transaction: MinedTransaction, now: Date): void {
  const { settlementTransaction, gasInVain, paidCall } = tables;
  const { network, hash, block, outcomes, inVain, failedIds } = transaction;
  const known = settlementTransaction.first((row) => row.network === network && row.hash === hash);
  const mined =
    known && known.state !== 'confirmed'
      ? settlementTransaction.update(known, {
          state: 'confirmed',
          confirmedAt: now,
          blockNumber: block.number,
          blockHash: block.hash,
          gasUsed: transaction.gasUsed,
          feeAtomic: transaction.feeAtomic,
          feeInVainAtomic: transaction.feeInVainAtomic,
          feeUnit: feeUnitOf(network),
        })
      : null;
  const replaced = mined ? othersWithNonce(tables, mined).filter(isOpen) : [];
  for (const other of replaced) settlementTransaction.update(other, { state: 'replaced' });
  for (const { paidCallId, payer, gas, code = null } of mined ? inVain : [])
    upsertGas(
      gasInVain,
      { settlementId: mined?.id ?? '', paidCallId, network, payer, code, gas, at: now },
      { gas },
    );
  for (const { charge, outcome } of outcomes) {
    const call = paidCall.get(charge.paidCallId);
    if (!call) continue;
    const isSettled = outcome.kind === 'settled';
    const isDeposit = isSettled && call.channelId !== null;
    if (isDeposit && mined && call.settlementId !== null && call.settlementId !== mined.id)
      paidCall.update(call, { settlementId: mined.id });
    if (!isDeposit && maySettle(call, outcome.kind, isSubmitted(call)))
      paidCall.update(call, {
        ...outcomeOf(call, outcome, now),
        ...(isSettled ? { transactionHash: hash, settlementId: known?.id ?? null } : {}),
      });
  }
  const promised = new Set([mined, ...replaced].flatMap((row) => (row?.preconfirmedAt ? [row.id] : [])));
  const lost = paidCall.where(
    (call) =>
      failedIds.includes(call.id) &&
      reversibleStates.includes(call.state) &&
      call.settlementId !== null &&
      promised.has(call.settlementId),
  );
  losePreconfirmed(tables, { network, hash, calls: lost, now, attemptAt: now });
}

function othersWithNonce({ settlementTransaction }: Tables, mined: SettlementTransactionRow) {
  const { network, signer, nonce, id } = mined;
  return settlementTransaction.where(
    (other) =>
      other.network === network &&
      signer !== null &&
      other.signer === signer &&
      nonce !== null &&
      other.nonce === nonce &&
      other.id !== id,
  );
}

/** Adds a row, or changes one that is there. */
export function upsertGas(
  gasInVain: Tables['gasInVain'],
  row: GasInVainRow,
  changes: Partial<GasInVainRow>,
): void {
  const known = gasInVain.first(
    ({ settlementId, paidCallId }) => settlementId === row.settlementId && paidCallId === row.paidCallId,
  );
  if (known) gasInVain.update(known, changes);
  else gasInVain.insert(row);
}

/** Whether an outcome changes a call. @param isUndecided whether its outcome is not recorded yet */
function maySettle(call: PaidCallRow, kind: Outcome['kind'], isUndecided: boolean): boolean {
  if (call.state === kind || (kind === 'refused' && isChargedBefore(call))) return false;
  return isUndecided || (call.state === 'refused' && kind === 'settled');
}

/** What every outcome sets. */
function outcomeOf(call: PaidCallRow, outcome: Outcome, now: Date): Partial<PaidCallRow> {
  const reason = outcome.kind === 'refused' ? outcome.reason : null;
  return {
    state: outcome.kind,
    movedAt: now,
    moveNote: reason,
    refusalReason: reason,
    workedBy: call.state === 'refused' || outcome.kind === 'refused' ? null : call.workedBy,
    ...(outcome.kind === 'settled' ? { attemptAt: now, attempts: 0 } : {}),
  };
}

/** Records the outcome of a payment that was looked up, not mined by us. */
export function recordOutcome(
  process: MemoryProcess,
  tables: Tables,
  paidCallId: string,
  outcome: Outcome,
  now: Date,
): void {
  const { paidCall } = tables;
  const call = paidCall.get(paidCallId);
  if (!call) return;
  const { kind } = outcome;
  const isUndecided = isSubmitted(call) || call.state === 'claimed' || call.state === 'prepared';
  if (kind === 'settled' && call.channelId !== null) return;
  if (!maySettle(call, kind, isUndecided)) return;
  const hash = outcome.kind === 'refused' ? null : outcome.transactionHash;
  const settlement =
    outcome.kind === 'settled' ? settlementOfOther(process, tables, call.network, outcome, now) : null;
  // Nothing has left the process, so the refusal is final.
  const isFinal = kind === 'refused' && !isSubmitted(call);
  paidCall.update(call, {
    ...outcomeOf(call, outcome, now),
    transactionHash: hash ?? call.transactionHash,
    settlementId: settlement?.id ?? call.settlementId,
    queuedForSignerAt: null,
    refusalFinalAt: isFinal ? now : null,
    ...(isFinal ? { input: null, prepared: null, idempotencyKeyHash: null } : {}),
  });
}

/** The transaction that settled a call and was found on the chain. It may be one of ours, or a third party's. */
function settlementOfOther(
  process: MemoryProcess,
  { settlementTransaction }: Tables,
  network: string,
  { transactionHash, block }: Extract<Outcome, { kind: 'settled' }>,
  now: Date,
): SettlementTransactionRow {
  if (transactionHash === null) throw new Error('null value in column "hash" of settlement_transaction');
  const known = settlementTransaction.first((row) => row.network === network && row.hash === transactionHash);
  const found = { blockNumber: block?.number ?? null, blockHash: block?.hash ?? null, confirmedAt: now };
  // The sender of one of ours finds it itself, and records what it cost. One that was out of the chain is back.
  if (known)
    return isOpen(known) || known.state === 'confirmed'
      ? known
      : settlementTransaction.update(known, { ...found, state: 'confirmed' });
  const id = process.database.newId('st');
  const third = { ...emptySettlement, id, network, hash: transactionHash, payments: 1, createdAt: now };
  return settlementTransaction.insert({ ...third, ...found, state: 'confirmed' });
}
