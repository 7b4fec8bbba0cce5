import { createHash, randomUUID } from 'node:crypto';
import { uploads } from '@/lib/catalog';
import type { Operation } from '@/lib/catalog/operation';
import { toAtomic } from '@/lib/payments/money';
import { fromAnywhere } from '../../support/accounts';
import { aFile } from '../../support/files';
import type { EvmWallet } from '../../support/paying-wallets';
import { type Order, persist, type SignedRequest, sign } from './requests';
import type { Rig, Wallet } from './rig';

export interface Account {
  readonly accountId: string;
  readonly token: string;
}

/** A new account in the rig, with nothing in it. */
export async function openAccount(rig: Rig): Promise<Account> {
  const answer = await fetch(`${rig.apiUrl}/v1/accounts`, { method: 'POST', headers: fromAnywhere() });
  if (answer.status !== 200) throw new Error(`no account was opened: ${await answer.text()}`);
  return answer.json();
}

/** The request body of a one-dollar deposit. */
export function depositBody({ accountId }: Pick<Account, 'accountId'>): string {
  return JSON.stringify({ accountId, amount: '1' });
}

/** A deposit of one dollar, by a new wallet on base unless a wallet is given. */
export async function depositInto(
  rig: Rig,
  { accountId }: Pick<Account, 'accountId'>,
  wallet?: Wallet | EvmWallet,
) {
  return sign(rig, wallet ?? (await rig.newEvmPayer()), {
    path: '/billing/deposits',
    body: depositBody({ accountId }),
  });
}

/** A new account in the rig, with one dollar in it. */
export async function fundedAccount(rig: Rig): Promise<Account> {
  const account = await openAccount(rig);
  const { status, body } = await persist(await depositInto(rig, account));
  if (status !== 200) throw new Error(`nothing was paid in: ${status} ${JSON.stringify(body)}`);
  return account;
}

/** A call that is paid from an account. It can be sent any number of times. */
export function payFrom(
  rig: Pick<Rig, 'apiUrl'>,
  { accountId, token }: Account,
  { price }: Pick<Operation, 'price'>,
  { path = '/uploads', method = 'POST', body }: Order,
): SignedRequest {
  const key = randomUUID();
  return {
    url: `${rig.apiUrl}/v1/account${path}`,
    payer: accountId,
    network: 'account',
    rail: 'account',
    priceAtomic: toAtomic(price),
    authorization: createHash('sha256').update(key).digest('hex'),
    init: {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Idempotency-Key': key },
      body: body ?? (path === '/uploads' ? aFile().body : undefined),
    },
  };
}

/** Buys an upload from an account. */
export function purchase(rig: Pick<Rig, 'apiUrl'>, account: Account): SignedRequest {
  return payFrom(rig, account, uploads.create, {});
}
