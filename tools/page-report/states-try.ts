import type { Page } from '@playwright/test';
import { injectEvmWallet } from '@/tests/support/browser-wallets';
import { newEvmPayer } from '@/tests/support/payers';
import { answerLate } from './late';
import type { PageState, StatesOf } from './state';

/** "Try it" on the page of a call, from the unpaid call to the receipt. */

export const tryStates: StatesOf = async ({ apiUrl }) => {
  const state = (name: string, lead: (page: Page) => Promise<unknown>, usdc = 10_000_000n): PageState => ({
    area: 'try-it',
    name: `try-${name}`,
    url: `${apiUrl}/docs/reference/airports/airports.search`,
    needsScript: 'calls the service from the page',
    prepare: async (page) => {
      await answerLate(page);
      if (name !== 'no-wallet') await injectEvmWallet(page, await newEvmPayer(usdc));
    },
    lead,
  });
  return [
    state('no-wallet', ask),
    state('unpaid', ask),
    state('wrong-input', async (page) => {
      await openSection(page);
      await page.getByLabel('Edit as JSON').check();
      await page.getByLabel('Body (JSON)').fill('{ "query": ');
      await page.getByRole('button', { name: 'Send without a payment' }).click();
      await page.getByRole('alert').waitFor();
    }),
    state('confirm', async (page) => {
      await ask(page);
      await review(page);
    }),
    state('paid', async (page) => {
      await pay(page);
      await page.getByRole('region', { name: 'Response to the paid call' }).waitFor();
    }),
    state(
      'no-money',
      async (page) => {
        await pay(page);
        await page.getByRole('alert').waitFor();
      },
      0n,
    ),
  ];
};

const openSection = (page: Page) => page.getByRole('link', { name: 'Try it' }).click();

async function ask(page: Page): Promise<void> {
  await openSection(page);
  await page.getByRole('button', { name: 'Send without a payment' }).click();
  await page.getByRole('region', { name: 'Response without a payment' }).waitFor();
}

const review = (page: Page) => page.getByRole('button', { name: 'Pay 0.001 USDC on Base' }).click();

async function pay(page: Page): Promise<void> {
  await ask(page);
  await review(page);
  await page.getByRole('dialog', { name: 'Pay for this call?' }).getByRole('button', { name: 'Pay' }).click();
}
