import type { z } from 'zod';
import type { get, transactions, transactionsQuery } from '@/lib/catalog/account';
import { type AccountEntry, accountEntries, balanceOf } from '@/lib/ledger/account-book';
import { toPrice } from '@/lib/payments/money';
import type { WithDatabase } from '@/lib/platform/database/database';
import type { Platform } from '@/lib/platform/platform';
import { depositUrl } from './identity';

interface StatementDeps extends WithDatabase, Pick<Platform, 'settings'> {}

/** `GET /v1/account` */
export async function describeAccount(
  app: StatementDeps,
  accountId: string,
): Promise<z.output<typeof get.output>> {
  const [balance, { createdAt }] = await Promise.all([
    balanceOf(app, accountId),
    app.db.account.findUniqueOrThrow({ where: { id: accountId }, select: { createdAt: true } }),
  ]);
  return {
    accountId,
    currency: 'USDC',
    balance: toPrice(balance),
    balanceUsdcAtomic: balance.toString(),
    depositUrl: depositUrl(app, accountId),
    createdAt: createdAt.toISOString(),
  };
}

/** `GET /v1/account/transactions` */
export async function listTransactions(
  app: WithDatabase,
  accountId: string,
  { cursor, limit }: z.output<typeof transactionsQuery>,
): Promise<z.output<typeof transactions.output>> {
  // One more than requested, to know whether there are more.
  const entries = await accountEntries(app, accountId, { before: idOf(cursor), limit: limit + 1 });
  const told = entries.slice(0, limit);
  const last = told.at(-1);
  return {
    transactions: told.map(toTransaction),
    nextCursor: entries.length > limit && last ? `tx_${last.id}` : null,
  };
}

/** The catalog's pattern allows nothing else. */
function idOf(cursor: string | undefined): bigint | null {
  return cursor === undefined ? null : BigInt(cursor.slice('tx_'.length));
}

function toTransaction(entry: AccountEntry): z.output<typeof transactions.output>['transactions'][number] {
  const isDeposit = entry.is_credit && entry.kind === 'delivered';
  return {
    id: `tx_${entry.id}`,
    kind: isDeposit ? 'deposit' : entry.is_credit ? 'refund' : 'charge',
    amount: toPrice(entry.amount_atomic),
    amountUsdcAtomic: entry.amount_atomic.toString(),
    currency: 'USDC',
    operation: entry.operation,
    paidCallId: entry.paid_call_id,
    network: isDeposit ? entry.network : null,
    txHash: isDeposit ? entry.transaction_hash : null,
    at: entry.at.toISOString(),
  };
}
