import { randomUUID } from 'node:crypto';
import { payingFetch } from './buyer';
import { sql } from './database';
import { aFile } from './files';
import { newEvmPayer } from './payers';
import { stack } from './stack';

/** A prepaid account, as its holder sees it. */
export interface TestAccount {
  readonly accountId: string;
  readonly token: string;
  readonly depositUrl: string;
}

const url = (path: string) => `${stack().apiUrl}${path}`;

/** Opens an account from a new client address. */
export async function openAccount(): Promise<TestAccount> {
  const answer = await fetch(url('/v1/accounts'), { method: 'POST', headers: fromAnywhere() });
  if (answer.status !== 200) throw new Error(`no account was opened: ${await answer.text()}`);
  return answer.json();
}

/** The header in which the proxy in front of the test server passes on the client address. Each call uses a new address. */
export function fromAnywhere(): Record<string, string> {
  return { 'X-Forwarded-For': `2001:db8:${randomUUID().slice(0, 4)}:${randomUUID().slice(0, 4)}::1` };
}

/** An account with this deposit, paid on Base with the official client. */
export async function accountWith(amount: string): Promise<TestAccount> {
  const account = await openAccount();
  const wallet = await newEvmPayer(500_000_000n, ['base']);
  const answer = await deposit(account.accountId, amount, payingFetch(wallet, 'base'));
  if (answer.status !== 200) throw new Error(`nothing was paid in: ${await answer.text()}`);
  return account;
}

/** Pays into an account. */
export function deposit(accountId: string, amount: unknown, pay: typeof fetch): Promise<Response> {
  return pay(url('/v1/billing/deposits'), {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ accountId, amount }),
  });
}

/** Calls a route as the holder of an account. */
export function asHolder(
  { token }: Pick<TestAccount, 'token'>,
  method: string,
  path: string,
  { body, key }: { body?: string; key?: string } = {},
): Promise<Response> {
  const headers = {
    Authorization: `Bearer ${token}`,
    ...(key === undefined ? {} : { 'Idempotency-Key': key }),
  };
  return fetch(url(path), { method, headers, body });
}

/** Buys an upload slot from an account, with a new idempotency key or the given one. */
export function buySlotFrom(
  account: Pick<TestAccount, 'token'>,
  { key = randomUUID(), body = aFile().body }: { key?: string; body?: string } = {},
): Promise<Response> {
  return asHolder(account, 'POST', '/v1/account/uploads', { key, body });
}

/** The balance of an account, from the API. */
export async function balanceIn(account: Pick<TestAccount, 'token'>): Promise<string> {
  return (await (await asHolder(account, 'GET', '/v1/account')).json()).balance;
}

/** The balance of an account in atomic USDC, from the postings. */
export async function postedIn(accountId: string): Promise<bigint> {
  const [row] = await sql<{ sum: string }>(
    `SELECT COALESCE(sum(CASE WHEN credit_account = $1 THEN amount_atomic ELSE -amount_atomic END), 0)::text AS sum
     FROM posting WHERE credit_account = $1 OR debit_account = $1`,
    [`account:${accountId}`],
  );
  return BigInt(row?.sum ?? 0);
}
