import { z } from 'zod';
import * as account from '@/lib/catalog/account';
import type { Adapter } from '../adapter';
import { callApi } from '../api';
import { refuse, ToolError } from '../tool-error';
import { type Account, currentAccount } from './state';

const timeoutMs = 15_000;

/** The account of this machine, opened at the service on first need: once, however many adapters ask. */
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

/** Opens another account; the one before it stays in the state file, since it may hold money. */
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
  // Not repeated by itself: a lost answer leaves an empty account behind, no more.
  const answer = await callApi(settings.apiUrl, { method, path }, timeoutMs);
  switch (answer.kind) {
    case 'answered': {
      const { data, error } = z.object(output.shape).safeParse(answer.body);
      if (!data)
        throw refuse('answer_not_understood', 'The service answered in another way than agreed.', {
          retry: 'stop',
          cause: error,
        });
      return { ...data, openedAt: now().toISOString() };
    }
    case 'refused':
      throw new ToolError(answer.error);
    case 'lost':
      throw refuse(
        'service_unreachable',
        `${settings.apiUrl} did not answer, so no account could be opened.`,
        {
          retry: 'later',
          cause: answer.cause,
        },
      );
  }
}
