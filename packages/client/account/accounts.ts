import { z } from 'zod';
import * as account from '@/lib/catalog/account';
import type { Adapter } from '../adapter/adapter';
import { callApi } from '../api';
import { refuse, ToolError } from '../tool-error';
import { type Account, currentAccount } from './account-state';

const timeoutMs = 15_000;

/** The account of this machine. It is opened when it is first needed, once for all adapters on the machine. */
export async function useAccount(adapter: Adapter): Promise<Account> {
  const known = currentAccount(await adapter.stateFile.read());
  if (known) return known;
  return adapter.stateFile.update(async (state) => {
    const opened = currentAccount(state);
    if (opened) return { state, result: opened };
    const made = await openAccount(adapter);
    return { state: { ...state, accounts: [...state.accounts, made] }, result: made };
  });
}

/** Opens another account. The previous one stays in the state file, because it may hold money. */
export async function replaceAccount(
  adapter: Adapter,
): Promise<{ account: Account; previous: Account | undefined }> {
  return adapter.stateFile.update(async (state) => {
    const made = await openAccount(adapter);
    return {
      state: { ...state, accounts: [...state.accounts, made] },
      result: { account: made, previous: currentAccount(state) },
    };
  });
}

async function openAccount({ settings, now }: Adapter): Promise<Account> {
  const { method, path, output } = account.create;
  // Not retried: a lost response only leaves an empty account behind.
  const answer = await callApi(settings.apiUrl, { method, path }, timeoutMs);
  switch (answer.kind) {
    case 'ok': {
      const { data, error } = z.object(output.shape).safeParse(answer.body);
      if (!data)
        throw refuse(
          'answer_not_understood',
          'This version of the adapter does not understand the response of the service. Update the adapter.',
          {
            retry: 'stop',
            cause: error,
          },
        );
      return { ...data, openedAt: now().toISOString() };
    }
    case 'refused':
      throw new ToolError(answer.error);
    case 'lost':
      throw refuse(
        'service_unreachable',
        `${settings.apiUrl} did not respond, so no account could be opened. Try again later.`,
        {
          retry: 'later',
          cause: answer.cause,
        },
      );
  }
}
