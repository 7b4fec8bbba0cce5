import * as account from '@/lib/catalog/account';
import { replaceAccount, useAccount } from '@/packages/client/account/accounts';
import { callForFree } from '@/packages/client/calls/free-call';
import type { Run } from './tool';

type NoInput = Record<string, never>;

export const runBalance: Run<NoInput> = async (adapter, _, signal) => ({
  output: await callForFree(adapter, account.get, signal),
});

/** The deposit page does not change, so its URL comes from the state file. */
export const runTopupLink: Run<NoInput> = async (adapter) => {
  const { accountId, depositUrl } = await useAccount(adapter);
  return { output: { accountId, depositUrl } };
};

export const runSetupLink: Run<NoInput> = async (adapter) => {
  const { account: opened, previous } = await replaceAccount(adapter);
  const { accountId, depositUrl } = opened;
  const stateFile = adapter.stateFile.file;
  return {
    output: { accountId, depositUrl, previousAccountId: previous?.accountId ?? null, stateFile },
    note:
      previous &&
      `The account ${previous.accountId} was set aside. Its token stays in ${stateFile}, and its deposit page is ${previous.depositUrl}.`,
  };
};
