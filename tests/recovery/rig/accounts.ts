import { createHash, randomUUID } from 'node:crypto';
import { aFile } from '../../support/files';
import { ask, type SignedRequest, sign } from './requests';
import type { Rig, Wallet } from './rig';

export interface Account {
  readonly accountId: string;
  readonly token: string;
}

/** A new account in the rig, with nothing in it. */
export async function openAccount(rig: Rig): Promise<Account> {
  return (await fetch(`${rig.apiUrl}/v1/accounts`, { method: 'POST' })).json();
}

/** The deposit of one dollar by a new wallet, on base unless another one is given. */
export async function depositInto(rig: Rig, { accountId }: Pick<Account, 'accountId'>, wallet?: Wallet) {
  const body = JSON.stringify({ accountId, amount: '1' });
  return sign(rig, wallet ?? (await rig.newEvmPayer()), { path: '/billing/deposits', body });
}

/** A new account in the rig, with one dollar in it. */
export async function fundedAccount(rig: Rig): Promise<Account> {
  const account = await openAccount(rig);
  const { status, body } = await ask(await depositInto(rig, account));
  if (status !== 200) throw new Error(`nothing was paid in: ${status} ${JSON.stringify(body)}`);
  return account;
}

/** The purchase of an upload from an account, or of the renewal of one, to be sent as often as it takes. */
export function purchase(
  rig: Pick<Rig, 'apiUrl'>,
  { accountId, token }: Account,
  renewedId?: string,
): SignedRequest {
  const key = randomUUID();
  const headers = { Authorization: `Bearer ${token}`, 'Idempotency-Key': key };
  const isRenewal = renewedId !== undefined;
  return {
    url: `${rig.apiUrl}/v1/account/uploads${isRenewal ? `/${renewedId}/renew` : ''}`,
    payer: accountId,
    network: 'account',
    rail: 'account',
    priceAtomic: 5_000n,
    authorization: createHash('sha256').update(key).digest('hex'),
    init: { method: 'POST', headers, body: isRenewal ? undefined : aFile().body },
  };
}

/** The renewal of an upload, from the account that has just bought it. */
export async function renewalFrom(rig: Rig, account: Account): Promise<SignedRequest> {
  const { status, body } = await ask(purchase(rig, account));
  if (status !== 200) throw new Error(`no upload was bought: ${status} ${JSON.stringify(body)}`);
  return purchase(rig, account, body.id);
}
