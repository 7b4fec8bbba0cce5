import { createHash } from 'node:crypto';
import type { TokenBalance, VersionedTransactionResponse } from '@solana/web3.js';
import type { IncomingPayment } from '@/lib/payments/incoming-payment';
import type { Offer } from '@/lib/payments/network-offers';
import type { Payment } from '@/lib/payments/payment';

/** The change in an account's token balance that a transaction made. */
export interface BalanceChange {
  /** The account's index in the transaction. */
  readonly index: number;
  readonly owner: string | undefined;
  readonly atomic: bigint;
}

/** The accounts whose balance of a token a transaction changed. */
export function balanceChanges({ meta }: VersionedTransactionResponse, mint: string): BalanceChange[] {
  const before = balancesIn(meta?.preTokenBalances, mint);
  const after = balancesIn(meta?.postTokenBalances, mint);
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((index) => {
    const [old, now] = [before.get(index), after.get(index)];
    const atomic = BigInt(now?.uiTokenAmount.amount ?? 0) - BigInt(old?.uiTokenAmount.amount ?? 0);
    return atomic === 0n ? [] : [{ index, owner: (now ?? old)?.owner, atomic }];
  });
}

function balancesIn(
  balances: readonly TokenBalance[] | null | undefined,
  mint: string,
): ReadonlyMap<number, TokenBalance> {
  const ofMint = (balances ?? []).filter((balance) => balance.mint === mint);
  return new Map(ofMint.map((balance) => [balance.accountIndex, balance]));
}

function changeOf(changes: readonly BalanceChange[], wallet: string): bigint {
  return changes.filter(({ owner }) => owner === wallet).reduce((sum, { atomic }) => sum + atomic, 0n);
}

/** The payment in a transaction, if our payee has more than before; null otherwise. */
export function incomingPayment(
  found: VersionedTransactionResponse,
  { asset, payTo }: Offer,
): IncomingPayment | null {
  const changes = balanceChanges(found, asset);
  const amountAtomic = changeOf(changes, payTo);
  if (amountAtomic <= 0n) return null;
  const payers = new Set(changes.filter(({ atomic }) => atomic < 0n).map(({ owner }) => owner));
  const [payer = null] = payers;
  const authorization = createHash('sha256').update(found.transaction.message.serialize()).digest('hex');
  return { payer: payers.size === 1 ? payer : null, authorization, amountAtomic };
}

/** Whether a transaction moved the amount of a payment from its payer to its payee; null when the node does not say. */
export function hasPaid(
  found: VersionedTransactionResponse,
  { asset, payer, payTo, amountAtomic }: Pick<Payment, 'asset' | 'payer' | 'payTo' | 'amountAtomic'>,
): boolean | null {
  if (!found.meta) return null;
  const changes = balanceChanges(found, asset);
  return changeOf(changes, payTo) >= amountAtomic && -changeOf(changes, payer) >= amountAtomic;
}
