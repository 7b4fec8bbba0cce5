import type { Page } from '@playwright/test';
import {
  amountField,
  connect,
  payButton,
  payIn,
  problem,
  progress,
  receipt,
} from '@/tests/pages/deposit-page';
import { accountWith, openAccount } from '@/tests/support/accounts';
import { type EvmWallet, injectEvmWallet, injectSolanaWallet } from '@/tests/support/browser-wallets';
import { newEvmPayer, newSolanaPayer } from '@/tests/support/payers';
import { answerLate } from './late';
import type { PageState, StatesOf } from './state';

/** The deposit page, from the missing wallet to the receipt. */

const deposits = '**/v1/billing/deposits';
const never = () => new Promise<never>(() => {});
const needsScript = 'wallets are programs in the browser';

export const depositStates: StatesOf = async ({ apiUrl }) => {
  const rich = await accountWith('120.5');
  const state = (name: string, url: string, more: Partial<PageState> = {}): PageState => ({
    area: 'deposit',
    name: `deposit-${name}`,
    url,
    needsScript,
    isUnlisted: true,
    ...more,
  });
  /** A page whose wallet is this one. */
  const withWallet = async (
    name: string,
    lead: (page: Page, wallet: EvmWallet) => Promise<unknown>,
    { usdc = 10_000_000n, asking = async (_: string) => {} } = {},
  ): Promise<PageState> => {
    const [{ depositUrl }, payer] = [await openAccount(), await newEvmPayer(usdc)];
    let wallet: EvmWallet | undefined;
    return state(name, depositUrl, {
      prepare: async (page) => {
        await answerLate(page);
        wallet = await injectEvmWallet(page, payer, { asking });
      },
      lead: async (page) => wallet && lead(page, wallet),
    });
  };
  return [
    state('no-wallet', rich.depositUrl, { isRated: true }),
    state('several-wallets', rich.depositUrl, { prepare: injectTwo }),
    await withWallet('wallet', async (page) => page.getByLabel('Test Wallet').waitFor()),
    await withWallet('holdings', showHoldings),
    await withWallet('insufficient', async (page) => {
      await showHoldings(page);
      await amountField(page).fill('25');
    }),
    await withWallet('amount-problem', async (page) => {
      await amountField(page).fill('0.5');
      await amountField(page).blur();
    }),
    await withWallet('wrong-network', async (page, wallet) => {
      wallet.staysOnItsChain = true;
      await payIn(page, '2.5', 'Polygon');
      await problem(page).waitFor();
    }),
    await withWallet('nothing-chosen', async (page) => {
      await amountField(page).fill('100');
      await connect(page);
      await page.getByText('Connected').waitFor();
      await payButton(page).click();
    }),
    await withWallet('connection-declined', async (page, wallet) => {
      wallet.declined = ['eth_requestAccounts'];
      await connect(page);
      await page.getByText('You declined the connection').waitFor();
    }),
    await withWallet('declined', async (page, wallet) => {
      wallet.declines = true;
      await payIn(page, '2.5', 'Base');
      await problem(page).waitFor();
    }),
    await withWallet('signing', signing, { asking: never }),
    await withWallet('waiting', async (page) => {
      await page.route(deposits, (route) => (isPaid(route.request().headers()) ? never() : route.fallback()));
      await payIn(page, '2.5', 'Base');
      await progress(page, 'Signed. Waiting').waitFor();
    }),
    await withWallet('lost', async (page) => {
      await page.route(deposits, (route) =>
        isPaid(route.request().headers()) ? route.abort() : route.fallback(),
      );
      await payIn(page, '2.5', 'Base');
      await progress(page, 'You will not pay twice').waitFor();
    }),
    await withWallet('unknown-outcome', async (page) => {
      const error = {
        code: 'payment_already_used',
        message: 'Used.',
        payment: 'unknown',
        retry: 'stop',
      };
      await page.route(deposits, (route) =>
        isPaid(route.request().headers())
          ? route.fulfill({ status: 409, json: { error } })
          : route.fallback(),
      );
      await payIn(page, '2.5', 'Base');
      await problem(page).waitFor();
    }),
    await withWallet('mined', async (page) => {
      await payIn(page, '2.5', 'Base');
      await receipt(page).waitFor();
    }),
    state('not-found', `${apiUrl}/deposit/acct_${'0'.repeat(24)}`, { needsScript: undefined }),
  ];
};

const isPaid = (headers: Record<string, string>) => headers['payment-signature'] !== undefined;

async function injectTwo(page: Page): Promise<void> {
  await injectEvmWallet(page, await newEvmPayer(0n));
  await injectSolanaWallet(page, await newSolanaPayer());
}

async function showHoldings(page: Page): Promise<void> {
  await connect(page);
  await page.getByText('10 USDC').first().waitFor();
}

async function signing(page: Page): Promise<void> {
  await payIn(page, '2.5', 'Base');
  await progress(page, 'Confirm the payment of').waitFor();
}
