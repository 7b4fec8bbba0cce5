import { reorganized, reversibleStates } from '@/lib/ledger/states';
import type { MinedTransaction } from '@/lib/payments/journal';
import { feeUnitOf } from '@/lib/payments/network-offers';
import { type Outcome, unknownOutcome } from '@/lib/payments/outcome';
import { isOpen, isSubmitted } from './memory-charges';
import type { Tables } from './memory-database';
import type { MemoryProcess } from './memory-process';
import type { GasInVainRow, PaidCallRow, SettlementTransactionRow } from './memory-rows';
import { nullViolation } from './memory-table';
import { moveOfCall, moveOfSettlement } from './memory-transitions';

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
  const changes =
    known &&
    moveOfSettlement('mined', known, {
      at: now,
      blockNumber: block.number,
      blockHash: block.hash,
      gasUsed: transaction.gasUsed,
      feeAtomic: transaction.feeAtomic,
      feeInVainAtomic: transaction.feeInVainAtomic,
      feeUnit: feeUnitOf(network),
    });
  const mined = known && changes ? settlementTransaction.update(known, changes) : null;
  const included = mined ?? (known?.state === 'confirmed' ? known : null);
  const replaced = (included ? othersWithNonce(tables, included) : []).flatMap((other) => {
    const changes = moveOfSettlement('replaced', other, { at: now });
    return changes ? [settlementTransaction.update(other, changes)] : [];
  });
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
    // What is not known of a transaction of ours changes nothing.
    const changes = isDeposit || outcome.kind === 'unknown' ? null : changesBy(call, outcome, now);
    if (!changes) continue;
    const found = isSettled ? { transactionHash: hash, settlementId: known?.id ?? null } : {};
    paidCall.update(call, { ...changes, ...found });
  }
  const carriers = [mined, ...replaced].flatMap((row) => row ?? []);
  const failed = paidCalls(tables, carriers).filter(({ id }) => failedIds.includes(id));
  undo(tables, failed, now);
}

/** The transactions can never be mined. */
export function drop(tables: Tables, network: string, hashes: readonly string[], now: Date): void {
  const { settlementTransaction } = tables;
  const dropped = settlementTransaction
    .where((row) => row.network === network && hashes.includes(row.hash))
    .flatMap((row) => {
      const changes = moveOfSettlement('dropped', row, { at: now });
      return changes ? [settlementTransaction.update(row, changes)] : [];
    });
  undo(tables, paidCalls(tables, dropped), now);
}

/** The calls that count as paid by one of these transactions, and that can fall back. */
function paidCalls(
  { paidCall }: Tables,
  carriers: readonly SettlementTransactionRow[],
): readonly PaidCallRow[] {
  const ids = new Set(carriers.map(({ id }) => id));
  return paidCall.where(
    ({ state, settlementId }) =>
      reversibleStates.includes(state) && settlementId !== null && ids.has(settlementId),
  );
}

/** The block in which these calls were found paid is gone, and their transaction does not pay for them any more. */
function undo({ paidCall }: Tables, calls: readonly PaidCallRow[], now: Date): void {
  for (const call of calls) {
    const given = { at: now, moveNote: reorganized, attemptAt: now };
    paidCall.update(call, moveOfCall('undone', call, given) ?? {});
  }
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

/** What an outcome changes in a call; null when it changes nothing. */
function changesBy(call: PaidCallRow, outcome: Outcome, at: Date): Partial<PaidCallRow> | null {
  switch (outcome.kind) {
    case 'settled':
      return (
        moveOfCall('settled', call, { at, moveNote: null }) ??
        moveOfCall('settledAfterRefusal', call, { at, moveNote: null })
      );
    case 'refused': {
      const given = { at, moveNote: outcome.reason, refusalReason: outcome.reason };
      return isChargedBefore(call) ? null : moveOfCall('refused', call, given);
    }
    case 'unknown':
      return moveOfCall('outcomeUnknown', call, { at, moveNote: null });
  }
}

/** Records the outcome of a payment that was looked up, not mined by us. */
export function recordOutcome(
  process: MemoryProcess,
  tables: Tables,
  paidCallId: string,
  outcome: Outcome,
  now: Date,
): void {
  const call = tables.paidCall.get(paidCallId);
  const changes = call && changesBy(call, outcome, now);
  if (!changes || (outcome.kind === 'settled' && call.channelId !== null)) return;
  const hash = outcome.kind === 'refused' ? null : outcome.transactionHash;
  const settlement =
    outcome.kind === 'settled' ? settlementOfOther(process, tables, call.network, outcome, now) : null;
  if (settlement && outcome.kind === 'settled' && isElsewhere(settlement, outcome)) return;
  tables.paidCall.update(call, {
    ...changes,
    transactionHash: hash ?? call.transactionHash,
    settlementId: settlement?.id ?? call.settlementId,
    queuedForSignerAt: null,
  });
}

/** Whether a transaction is recorded in another block than the one in which it was found. */
function isElsewhere(
  { state, blockNumber, blockHash }: SettlementTransactionRow,
  { block }: Extract<Outcome, { kind: 'settled' }>,
): boolean {
  if (state !== 'confirmed' || block === null) return false;
  const differs = <T>(one: T | null, other: T | null) => one !== null && other !== null && one !== other;
  return differs(blockNumber, block.number) || differs(blockHash, block.hash);
}

/** Refuses a call, unless a transaction that is not known to be in a block carries its payment. */
export function refuseUnlessSent(
  { paidCall, settlementTransaction }: Tables,
  paidCallId: string,
  reason: string,
  now: Date,
): Outcome {
  const outcome = { kind: 'refused', reason } as const;
  const call = paidCall.get(paidCallId);
  const changes = call && changesBy(call, outcome, now);
  const carrier = settlementTransaction.get(call?.settlementId ?? '');
  if (!changes || (carrier && isOpen(carrier))) return unknownOutcome;
  paidCall.update(call, { ...changes, queuedForSignerAt: null });
  return outcome;
}

/** The transaction that settled a call and was found on the chain. It may be one of ours, or a third party's. */
function settlementOfOther(
  process: MemoryProcess,
  { settlementTransaction }: Tables,
  network: string,
  { transactionHash, block }: Extract<Outcome, { kind: 'settled' }>,
  now: Date,
): SettlementTransactionRow {
  if (transactionHash === null) throw nullViolation('hash', 'settlement_transaction');
  const known = settlementTransaction.first((row) => row.network === network && row.hash === transactionHash);
  const found = { blockNumber: block?.number ?? null, blockHash: block?.hash ?? null };
  if (known) {
    const changes =
      moveOfSettlement('foundAgain', known, { at: now, ...found }) ??
      moveOfSettlement('returned', known, { at: now });
    return changes ? settlementTransaction.update(known, changes) : known;
  }
  const id = process.database.newId('st');
  const third = { ...emptySettlement, id, network, hash: transactionHash, payments: 1, createdAt: now };
  return settlementTransaction.insert({ ...third, ...found, state: 'confirmed', confirmedAt: now });
}
