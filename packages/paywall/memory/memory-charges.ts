import { openSettlementStates, submittedStates } from '@/lib/ledger/states';
import type { OpenTransaction } from '@/lib/payments/journal';
import type { NetworkName } from '@/lib/payments/network-offers';
import type { Charge } from '@/lib/payments/outcome';
import type { Payment } from '@/lib/payments/payment';
import type { MemoryProcess } from './memory-process';
import type { PaidCallRow, SettlementTransactionRow } from './memory-rows';

export const isOpen = ({ state }: SettlementTransactionRow) => openSettlementStates.includes(state);
/** It is not open, and a reorganization can put it into a block, or into another. */
export const mayBeInBlock = ({ state, finalAt, raw }: SettlementTransactionRow) =>
  (state === 'confirmed' || state === 'replaced') && finalAt === null && raw !== null;
export const isSubmitted = ({ state }: PaidCallRow) => submittedStates.includes(state);

export function byCreation(rows: readonly SettlementTransactionRow[]): SettlementTransactionRow[] {
  return [...rows].sort((one, other) => one.createdAt.getTime() - other.createdAt.getTime());
}

/** The transactions with their charges, which are read after the transactions. */
export function toOpen(
  process: MemoryProcess,
  network: NetworkName,
  signer: string,
  rows: readonly SettlementTransactionRow[],
): Promise<OpenTransaction[]> {
  return Promise.all(
    rows.map(async ({ id, nonce, hash, raw, createdAt }) => {
      if (raw === null) throw new Error('an open transaction has no signed bytes');
      const calls = await process.query(({ paidCall }) =>
        paidCall.where(({ settlementId }) => settlementId === id),
      );
      return {
        network,
        signer,
        nonce,
        hash,
        raw: new Uint8Array(raw),
        charges: calls.map(chargeOf),
        preparedAt: createdAt,
      };
    }),
  );
}

export function chargeOf(row: PaidCallRow): Charge {
  return { paidCallId: row.id, payment: paymentOf(row) };
}

/** The payment of a call, as lib/ledger/paid-call-rows.ts reads it. */
function paymentOf({ channelId, payment, ...row }: PaidCallRow): Payment {
  const { network, asset, payer, authorization, amountAtomic, payTo, validBefore } = row;
  return {
    // Rows hold what payments had.
    network: network as Payment['network'],
    asset,
    payer,
    authorization,
    amountAtomic,
    payTo,
    validBefore,
    ...(channelId === null ? {} : { channelId }),
    signed: payment?.signed ?? { family: 'erased' },
  };
}
