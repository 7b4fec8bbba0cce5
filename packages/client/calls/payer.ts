import type { Account } from '../account/account-state';
import { useAccount } from '../account/accounts';
import type { Adapter } from '../adapter/adapter';
import { type ApiResult, callApi } from '../api';
import type { Call } from './call';
import type { OpenedCall } from './open-calls';

/** Who pays for calls: a prepaid account or a wallet. */
export interface Payer {
  /** The ID of the account, or the address of the wallet. */
  readonly id: string;
  /** The token of an account, for its free calls. */
  readonly token?: string;
  /** The rail whose paths it calls. */
  readonly rail: 'account' | 'x402';
  /** Sends the request of a call once, together with its payment. Failures of the service are part of the result. */
  send(call: Call, opened: OpenedCall, timeoutMs: number): Promise<ApiResult>;
}

/** Pays from an account. */
export function accountPayer(
  apiUrl: string,
  { accountId, token }: Pick<Account, 'accountId' | 'token'>,
): Payer {
  return {
    id: accountId,
    token,
    rail: 'account',
    send: ({ method, path, body }, { idempotencyKey }, timeoutMs) =>
      callApi(apiUrl, { method, path, body, token, idempotencyKey }, timeoutMs),
  };
}

/** The payer from the settings; otherwise the account of this machine, which is opened when it is first needed. */
export async function payerOf(adapter: Adapter): Promise<Payer> {
  return adapter.payer ?? accountPayer(adapter.settings.apiUrl, await useAccount(adapter));
}
