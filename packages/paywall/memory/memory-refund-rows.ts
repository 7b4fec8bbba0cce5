import type { NewRefund } from '@/lib/ledger/refund-records';
import type { MemoryDatabase, Tables } from './memory-database';
import type { RefundRow } from './memory-rows';
import { moveOfRefund } from './memory-transitions';

/** Begins a refund, as `insertRefund` of lib/ledger/refunds.ts does. */
export function insertRefund(
  database: MemoryDatabase,
  { paidCall, refund }: Tables,
  { accountId, ...terms }: NewRefund,
  checkAt: Date,
  now: Date,
): RefundRow {
  const call = paidCall.get(terms.paidCallId);
  if (!call) throw new Error('there is no such call to refund');
  const isPosted = terms.method === 'account';
  return refund.insert({
    id: database.newId('rf'),
    ...terms,
    state: 'requested',
    round: refund.where(({ paidCallId }) => paidCallId === call.id).length,
    network: isPosted ? 'account' : call.network,
    asset: call.asset,
    recipient: isPosted ? (accountId ?? '') : call.payer,
    amountAtomic: call.amountAtomic,
    signableUntil: null,
    signableUntilHeight: null,
    sentUntilHeight: null,
    transactionHash: null,
    transferIndex: null,
    blockNumber: null,
    blockHash: null,
    reorganizations: 0,
    checkAt,
    requestedAt: now,
    movedAt: now,
    moveNote: null,
  });
}

/** Posts a refund into a prepaid account. */
export function post({ refund }: Tables, row: RefundRow, at: Date): void {
  const changes = row.method === 'account' ? moveOfRefund('posted', row, { at, moveNote: null }) : null;
  if (changes) refund.update(row, changes);
}
