import type { Refund, SentTransaction } from '@/lib/ledger/refund-records';
import { openRefundStates } from '@/lib/ledger/refund-states';
import type {
  CallToRefund,
  NamedTransaction,
  RefundChange,
  RefundStep,
  RefundStore,
} from '@/lib/operator/refunds/refund-store';
import { isOpenAccount } from '@/packages/paywall/memory/memory-balances';
import type { Tables } from '@/packages/paywall/memory/memory-database';
import { insertRefund, post } from '@/packages/paywall/memory/memory-refund-rows';
import { isPaymentFinal } from '@/packages/paywall/memory/memory-refund-triggers';
import type { RefundRow } from '@/packages/paywall/memory/memory-rows';
import { moveOfRefund } from '@/packages/paywall/memory/memory-transitions';
import type { MemoryProcess } from './memory-process';

/** The twin of the store of refunds in lib/operator/refunds/stored-refunds.ts. The log of operators is not in it. */
export function memoryRefunds(process: MemoryProcess): RefundStore {
  const { database } = process;
  const { checkFirstMs, checkMaxMs } = process.timings.refunds;
  /** Changes a refund that is as the caller knows it. */
  const update = (
    { id, transactionHash }: Pick<Refund, 'id' | 'transactionHash'>,
    changesOf: (row: RefundRow) => Partial<RefundRow> | null,
  ) =>
    process.query(({ refund }) => {
      const row = refund.get(id);
      const changes = row?.transactionHash === transactionHash ? changesOf(row) : null;
      if (row && changes) refund.update(row, changes);
      return changes !== null;
    });
  return {
    find: (id) => process.query(({ refund }) => toRefund(refund.get(id))),
    refundsOf: (paidCallId) =>
      process.query(({ refund }) =>
        refund
          .where((row) => row.paidCallId === paidCallId)
          .toSorted((one, other) => other.round - one.round)
          .flatMap((row) => toRefund(row) ?? []),
      ),
    findCall: (paidCallId) => process.query((tables) => callIn(tables, paidCallId)),
    isOpenAccount: (accountId) => process.query((tables) => isOpenAccount(tables, accountId)),
    usedTransfers: (network, transactionHash, exceptId) =>
      process.query(({ refund }) => {
        const indexes = refund
          .where(
            (row) =>
              row.network === network &&
              row.transactionHash === transactionHash &&
              ['sent', 'confirmed'].includes(row.state) &&
              row.id !== exceptId,
          )
          .map(({ transferIndex }) => transferIndex);
        const used = indexes.filter((index) => index !== null);
        return { indexes: new Set(used), undecided: indexes.length - used.length };
      }),
    takeToCheck: (now, limit) =>
      process.query(({ refund }) =>
        refund
          .where(({ state, checkAt }) => openRefundStates.includes(state) && checkAt <= now)
          .toSorted((one, other) => one.checkAt.getTime() - other.checkAt.getTime())
          .slice(0, limit)
          .flatMap((row) => {
            const waitMs = Math.max(checkFirstMs, (now.getTime() - row.movedAt.getTime()) / 10);
            const checkAt = new Date(now.getTime() + Math.round(Math.min(checkMaxMs, waitMs)));
            return toRefund(refund.update(row, { checkAt })) ?? [];
          }),
      ),

    recordFound: (refund, sent, at) => update(refund, (row) => sentAs(row, sent, 'found_on_chain', at)),
    recordIncluded: async (refund, { index: transferIndex, block: { number, hash } }) => {
      await update(refund, ({ state }) =>
        state === 'sent' ? { transferIndex, blockNumber: number, blockHash: hash } : null,
      );
    },
    recordReorganized: (refund, at) =>
      update(refund, (row) =>
        row.blockNumber === refund.blockNumber && row.blockNumber !== null
          ? moveOfRefund('reorganized', row, { at, moveNote: 'reorganized' })
          : null,
      ),
    recordConfirmed: (refund, place, at) => update(refund, (row) => confirmedAt(row, place, at)),
    recordFailed: (refund, moveNote, at) =>
      update(refund, (row) =>
        hasSignatures(row, refund) ? moveOfRefund('failed', row, { at, moveNote }) : null,
      ),

    begin: (terms, how, checkAt, { now }) =>
      process.query((tables) => {
        const row = insertRefund(database, tables, terms, checkAt, now);
        if (how.kind === 'post') post(tables, row, now);
        else if (how.kind === 'send') send(tables, row, how, now);
        const refund = toRefund(tables.refund.get(row.id));
        if (!refund) throw new Error('the refund was not recorded');
        return refund;
      }),
    change: (refund, change, step) => process.query((tables) => changeIn(tables, refund, change, step)),
  };
}

function changeIn(tables: Tables, as: Refund, change: RefundChange, { now }: RefundStep): boolean {
  const row = tables.refund.get(as.id);
  if (!row) return false;
  if (change.kind === 'sign') {
    const { until, untilHeight } = change.end;
    if (row.state !== 'requested' && (row.state !== 'sent' || row.blockNumber !== null)) return false;
    const signableUntil = latest(row.signableUntil, until);
    tables.refund.update(row, {
      signableUntil,
      signableUntilHeight: latest(row.signableUntilHeight, untilHeight),
    });
    return true;
  }
  if (row.transactionHash !== as.transactionHash) return false;
  if (change.kind === 'send') return send(tables, row, change, now);
  if (row.state !== as.state || !hasSignatures(row, as)) return false;
  const given = { at: now, moveNote: 'by_operator' };
  const changes = moveOfRefund('cancelled', row, given) ?? moveOfRefund('dismissed', row, given);
  if (changes) tables.refund.update(row, changes);
  return changes !== null;
}

function send({ refund }: Tables, row: RefundRow, { sent, found }: NamedTransaction, at: Date): boolean {
  const changes = sentAs(row, sent, null, at);
  if (!changes) return false;
  const named = refund.update(row, changes);
  if (!found) return true;
  const { index: transferIndex, block } = found.place;
  const included = { transferIndex, blockNumber: block.number, blockHash: block.hash };
  refund.update(named, (found.isFinal ? confirmedAt(named, found.place, at) : included) ?? {});
  return true;
}

function sentAs(
  row: RefundRow,
  { transactionHash, untilHeight }: SentTransaction,
  moveNote: string | null,
  at: Date,
) {
  const given = { at, moveNote, transactionHash, sentUntilHeight: latest(row.sentUntilHeight, untilHeight) };
  return moveOfRefund('sent', row, given) ?? moveOfRefund('sentAgain', row, given);
}

function confirmedAt(
  row: RefundRow,
  { index: transferIndex, block }: NonNullable<NamedTransaction['found']>['place'],
  at: Date,
) {
  const place = { transferIndex, blockNumber: block.number, blockHash: block.hash };
  return moveOfRefund('confirmed', row, { at, moveNote: null, ...place });
}

function hasSignatures(row: RefundRow, { signableUntil, signableUntilHeight }: Refund): boolean {
  return (
    row.signableUntil?.getTime() === signableUntil?.getTime() &&
    row.signableUntilHeight === signableUntilHeight
  );
}

/** The later of two that may be missing. */
function latest<Value extends Date | bigint>(one: Value | null, other: Value | null): Value | null {
  if (one === null || other === null) return one ?? other;
  return one > other ? one : other;
}

function callIn(tables: Tables, id: string): CallToRefund | null {
  const row = tables.paidCall.get(id);
  if (!row) return null;
  const { operation, state, network, payer, amountAtomic, transactionHash, createdAt, creditedAccount } = row;
  const settlement =
    row.settlementId === null ? undefined : tables.settlementTransaction.get(row.settlementId);
  return {
    ...{ id, operation, state, network, payer, amountAtomic, transactionHash, createdAt, creditedAccount },
    paidInBlock: settlement?.blockNumber ?? null,
    isPaymentFinal: isPaymentFinal(tables, row),
  };
}

function toRefund(row: RefundRow | undefined): Refund | null {
  if (!row) return null;
  const { round: _, transferIndex: _index, checkAt: _checkAt, ...refund } = row;
  return refund;
}
