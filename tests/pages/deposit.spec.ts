import { expect, type Page, test } from '@playwright/test';
import { topUpUsdc } from '@/local/evm/funding';
import { balanceIn, openAccount } from '../support/accounts';
import { balanceOf } from '../support/balances';
import { injectEvmWallet, injectSolanaWallet } from '../support/browser-wallets';
import { callsOf } from '../support/database';
import { newEvmPayer, newSolanaPayer } from '../support/payers';
import { newSafe } from '../support/paying-wallets';
import { evmNetworkNames, network, stack } from '../support/stack';
import { expectAccessible } from './accessible';

const labels = { base: 'Base', polygon: 'Polygon', arbitrum: 'Arbitrum' } as const;

const form = (page: Page) => page.locator('form#deposit');
const receipt = (page: Page) => page.getByRole('region', { name: 'Paid' });
const problem = (page: Page) => page.getByRole('alert');

async function payIn(page: Page, amount: string, network: string): Promise<void> {
  await page.getByLabel('Amount in USDC').fill(amount);
  await page.getByLabel(network, { exact: true }).check();
  await page.getByRole('button', { name: `Pay ${amount.trim().replace(',', '.')} USDC` }).click();
}

for (const name of evmNetworkNames) {
  test(`a person pays in from a browser wallet on ${name}, from the link to the receipt`, async ({
    page,
  }) => {
    const [account, payer] = [await openAccount(), await newEvmPayer()];
    const wallet = await injectEvmWallet(page, payer);
    await page.goto(account.depositUrl);
    await expect(page.getByLabel('Test Wallet')).toBeChecked();
    await payIn(page, '2.5', labels[name]);
    await expect(receipt(page)).toBeFocused({ timeout: 30_000 });
    await expect(receipt(page)).toContainText('2.5 USDC');
    await expect(receipt(page)).toContainText(labels[name]);
    await expect(receipt(page)).toContainText(/0x[0-9a-f]{64}/);
    expect(wallet.asked).toContain('wallet_switchEthereumChain');
    expect(wallet.typedData?.message).toMatchObject({ from: payer.address, value: '2500000' });
    expect(await balanceOf(payer, name)).toBe(7_500_000n);
    expect(await balanceIn(account)).toBe('2.5');
    await expectAccessible(page);

    await page.getByRole('button', { name: 'Add more' }).click();
    await expect(page.getByLabel('Amount in USDC')).toBeFocused();
    await payIn(page, '1', labels[name]);
    await expect(receipt(page)).toContainText('1 USDC', { timeout: 30_000 });
    expect(await balanceIn(account)).toBe('3.5');
  });
}

test('a person pays in from a browser wallet on Solana, from the link to the receipt', async ({ page }) => {
  const [account, payer] = [await openAccount(), await newSolanaPayer()];
  await injectSolanaWallet(page, payer);
  await page.goto(account.depositUrl);
  await payIn(page, '1,25', 'Solana');
  await expect(receipt(page)).toBeFocused({ timeout: 45_000 });
  await expect(receipt(page)).toContainText('1.25 USDC');
  await expect(receipt(page)).toContainText(/[1-9A-HJ-NP-Za-km-z]{80,90}/);
  expect(await balanceOf(payer, 'solana-mainnet')).toBe(8_750_000n);
  expect(await balanceIn(account)).toBe('1.25');
});

test('a person pays in from a contract wallet; one that is not deployed is told to deploy it first', async ({
  page,
}) => {
  const { rpcUrl, usdc } = network('base');
  const [account, safe] = [await openAccount(), await newSafe(rpcUrl, 2, 2)];
  await topUpUsdc(rpcUrl, usdc, [safe.address], 10_000_000n, 10_000_000n);
  await injectEvmWallet(page, safe.wrapping);
  await page.goto(account.depositUrl);
  await payIn(page, '1', 'Base');
  await expect(problem(page)).toContainText(
    'not deployed on this network yet. Send any transaction from it first',
  );
  expect(await callsOf(safe.address)).toBe(0);
  await safe.deploy();
  await page.getByRole('button', { name: 'Pay 1 USDC' }).click();
  await expect(receipt(page)).toContainText('1 USDC', { timeout: 30_000 });
  expect(await balanceIn(account)).toBe('1');
});

test('each network shows the wallets that can pay on it, or says that there are none', async ({ page }) => {
  await injectEvmWallet(page, await newEvmPayer(0n));
  await page.goto((await openAccount()).depositUrl);
  await expect(page.getByLabel('Test Wallet')).toBeVisible();
  await page.getByLabel('Solana').check();
  await expect(page.getByLabel('Test Wallet')).toHaveCount(0);
  await expect(page.getByText('No wallet for this network was found')).toBeVisible();
  await page.getByLabel('Polygon').check();
  await expect(page.getByLabel('Test Wallet')).toBeChecked();
  await expect(page.getByText('No wallet for this network was found')).toBeHidden();
});

test('declining in the wallet shows that nothing was paid, and allows another try', async ({ page }) => {
  const [account, payer] = [await openAccount(), await newEvmPayer()];
  const wallet = await injectEvmWallet(page, payer);
  wallet.declines = true;
  await page.goto(account.depositUrl);
  await payIn(page, '1', 'Base');
  await expect(problem(page)).toBeFocused();
  await expect(problem(page)).toContainText('declined in the wallet');
  expect(await balanceOf(payer, 'base')).toBe(10_000_000n);
  expect(await callsOf(payer.address)).toBe(0);
  await expectAccessible(page);
  wallet.declines = false;
  await page.getByRole('button', { name: 'Pay 1 USDC' }).click();
  await expect(receipt(page)).toBeVisible({ timeout: 30_000 });
  await expect(problem(page)).toBeHidden();
  expect(await balanceIn(account)).toBe('1');
});

test('a wallet without enough money and an invalid amount each get a message, unpaid', async ({ page }) => {
  const account = await openAccount();
  const wallet = await injectEvmWallet(page, await newEvmPayer(500_000n, ['base']));
  await page.goto(account.depositUrl);
  for (const amount of ['0.5', '501', 'ten', '1.0000001']) {
    await payIn(page, amount, 'Base');
    await expect(problem(page)).toContainText('The amount');
  }
  expect(wallet.asked).toEqual([]);
  await payIn(page, '1', 'Base');
  await expect(problem(page)).toContainText('does not have enough USDC');
  expect(await balanceIn(account)).toBe('0');
});

test('a lost response is requested again, also after a reload, and paid once', async ({ page }) => {
  const [account, payer] = [await openAccount(), await newEvmPayer()];
  const wallet = await injectEvmWallet(page, payer);
  let lost = 0;
  await page.route('**/v1/billing/deposits', async (route) => {
    if (route.request().headers()['payment-signature'] === undefined || lost > 0) return route.fallback();
    lost += 1;
    // It arrives, and the answer does not.
    await route.fetch();
    await route.abort();
  });
  await page.goto(account.depositUrl);
  await payIn(page, '3', 'Arbitrum');
  await expect(page.getByRole('status')).toContainText('You will not pay twice');
  await page.reload();
  await expect(receipt(page)).toContainText('3 USDC', { timeout: 30_000 });
  expect(lost).toBe(1);
  expect(wallet.asked.filter((method) => method === 'eth_signTypedData_v4')).toHaveLength(1);
  expect(await balanceOf(payer, 'arbitrum')).toBe(7_000_000n);
  expect(await balanceIn(account)).toBe('3');
});

test('without JavaScript the page says what it needs, and shows its URL as a QR code', async ({
  browser,
}) => {
  const account = await openAccount();
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(account.depositUrl);
  // Locators by text pass noscript over.
  await expect(page.locator('noscript .summary')).toBeVisible();
  await expect(form(page)).toBeHidden();
  await expect(page.getByRole('img', { name: 'QR code' })).toBeVisible();
  await expect(page.getByText(account.depositUrl)).toBeVisible();
  await context.close();
});

test('an unknown account has no deposit page', async ({ page }) => {
  const answer = await page.goto(`${stack().apiUrl}/deposit/acct_${'0'.repeat(24)}`);
  expect(answer?.status()).toBe(404);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Account not found');
  await expectAccessible(page);
});

test('the page sends requests only to the service, and cannot be framed', async ({ page }) => {
  const foreign: string[] = [];
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol !== 'data:' && url.origin !== stack().apiUrl) foreign.push(request.url());
  });
  const violations: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') violations.push(message.text());
  });
  await injectEvmWallet(page, await newEvmPayer(0n));
  const answer = await page.goto((await openAccount()).depositUrl);
  await expect(page.getByLabel('Test Wallet')).toBeVisible();
  const policy = answer?.headers()['content-security-policy'] ?? '';
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain('unsafe');
  expect([foreign, violations]).toEqual([[], []]);
});

test('everything can be done with the keyboard', async ({ page }) => {
  const [account, payer] = [await openAccount(), await newEvmPayer()];
  await injectEvmWallet(page, payer);
  await page.goto(account.depositUrl);
  await expect(page.getByLabel('Test Wallet')).toBeChecked();
  await page.keyboard.press('Tab');
  await expect(page.getByLabel('Amount in USDC')).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(page.getByLabel('Base', { exact: true })).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByLabel('Polygon')).toBeChecked();
  await page.keyboard.press('Tab');
  await expect(page.getByLabel('Test Wallet')).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect(receipt(page)).toBeFocused({ timeout: 30_000 });
  expect(await balanceOf(payer, 'polygon')).toBe(5_000_000n);
});

for (const [what, options] of [
  ['light', { colorScheme: 'light' }],
  ['dark', { colorScheme: 'dark' }],
  ['320 pixels wide', { viewport: { width: 320, height: 640 } }],
  ['forced colours', { forcedColors: 'active' }],
] as const) {
  test.describe(what, () => {
    test.use(options);
    test(`the page is accessible and fits: ${what}`, async ({ page }) => {
      await injectEvmWallet(page, await newEvmPayer(0n));
      await page.goto((await openAccount()).depositUrl);
      await expect(page.getByLabel('Test Wallet')).toBeVisible();
      await expectAccessible(page);
      const overflow = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth',
      );
      expect(overflow).toBe(0);
      const shots = process.env.DEPOSIT_SHOTS;
      if (shots) await page.screenshot({ path: `${shots}/${what.replaceAll(' ', '-')}.png`, fullPage: true });
    });
  });
}
