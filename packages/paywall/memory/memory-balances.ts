import type { Tables } from './memory-database';

/** Prepaid accounts and their balances, as statements and triggers of the ledger use them. */

export function isOpenAccount({ account }: Tables, id: string): boolean {
  return account.get(id)?.revokedAt === null;
}

export function credit({ accountBalance }: Tables, accountId: string, amount: bigint): void {
  const row = accountBalance.get(accountId);
  if (row) accountBalance.update(row, { balanceAtomic: row.balanceAtomic + amount });
  else accountBalance.insert({ accountId, balanceAtomic: amount });
}
