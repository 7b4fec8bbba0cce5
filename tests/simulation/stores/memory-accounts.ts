import type { AccountBook } from '@/lib/payments/account/account-settler';
import { balanceTooLow, type Outcome } from '@/lib/payments/outcome';
import { onAccount, type Payment } from '@/lib/payments/payment';
import type { Tables } from '@/packages/paywall/memory/memory-database';
import type { PaidCallRow } from '@/packages/paywall/memory/memory-rows';
import { moveOfCall } from '@/packages/paywall/memory/memory-transitions';
import type { MemoryProcess } from './memory-process';

/** The twin of the ledger's prepaid accounts (lib/ledger/account-book.ts). */
export function memoryAccounts(process: MemoryProcess): AccountBook {
  return {
    balanceOf: (accountId) =>
      process.query(({ accountBalance }) => accountBalance.get(accountId)?.balanceAtomic ?? 0n),
    debit(payment) {
      const at = process.clock.date();
      return process.query((tables) => debit(tables, payment, at));
    },
  };
}

function debit({ paidCall, accountBalance }: Tables, payment: Payment, at: Date): Outcome {
  const { asset, payer, authorization } = payment;
  const call = paidCall.first(
    (row) =>
      row.network === onAccount &&
      row.asset === asset &&
      row.payer === payer &&
      row.authorization === authorization,
  );
  if (!call) throw new Error('no call has this payment');
  const balance = accountBalance.get(payer);
  const isPaid = balance !== undefined && balance.balanceAtomic >= call.amountAtomic;
  const changes = isPaid
    ? moveOfCall('settled', call, { at, moveNote: null })
    : moveOfCall('refusedForGood', call, { at, moveNote: balanceTooLow, refusalReason: balanceTooLow });
  if (!changes) return outcomeOf(call);
  if (isPaid) accountBalance.update(balance, { balanceAtomic: balance.balanceAtomic - call.amountAtomic });
  return outcomeOf(paidCall.update(call, changes));
}

function outcomeOf({ state, refusalReason }: PaidCallRow): Outcome {
  if (state === 'refused') return { kind: 'refused', reason: refusalReason ?? balanceTooLow };
  if (state === 'settling' || state === 'unknown') return { kind: 'unknown', transactionHash: null };
  return { kind: 'settled', transactionHash: null, block: null };
}
