import { cookieOf, enterToken, operatorToken } from '@/tests/support/console';
import type { PageState, StatesOf } from './state';

/** The console for operators, over a ledger with calls in every state. */

export const consoleStates: StatesOf = async ({ console: { apiUrl, pages } }) => {
  const cookie = cookieOf(await enterToken(operatorToken(), {}, { apiUrl }));
  const state = (name: string, path: string, more: Partial<PageState> = {}): PageState => ({
    area: 'console',
    name: `console-${name}`,
    url: apiUrl + path,
    isUnlisted: true,
    ...more,
  });
  return [
    state('sign-in', '/operator', { isRated: true }),
    state('sign-in-refused', '/operator', {
      lead: async (page) => {
        await page.getByLabel('Operator token').fill('wrong');
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.getByRole('alert').waitFor();
      },
    }),
    ...pages.map(([name, path]) =>
      state(name, path, { cookie, isRated: name !== 'call-not-found', needsScript: neededBy[name] }),
    ),
    state('filter-refused', '/operator/calls?search=nonsense', { cookie }),
    state('no-calls', '/operator/calls?search=0x0000000000000000000000000000000000000001', { cookie }),
  ];
};

const neededBy: Readonly<Record<string, string>> = {
  'refund-signing': 'wallets are programs in the browser',
};
