import { expect, type Page, test } from '@playwright/test';
import { topUpUsdc } from '@/local/evm/funding';
import { balanceIn, openAccount } from '../support/accounts';
import { balanceOf } from '../support/balances';
import { injectEvmWallet, injectSolanaWallet } from '../support/browser-wallets';
import { callsOf } from '../support/database';
import { newEvmPayer, newSolanaPayer } from '../support/payers';
import { newSafe } from '../support/safe-wallets';
import { evmNetworkNames, network, stack } from '../support/stack';
import { fullOnly, sample } from '../support/tiers';
import { expectAccessible } from './accessible';
import { amountField, connect, payButton, payIn, problem, receipt } from './deposit-page';

const labels = { base: 'Base', polygon: 'Polygon', arbitrum: 'Arbitrum' } as const;

const form = (page: Page) => page.locator('form#deposit');

for (const name of evmNetworkNames) {
  test(
    `a person pays in from a browser wallet on ${name}, from the link to the receipt`,
    sample(name === 'base'),
    async ({ page }) => {
      const [account, payer] = [await openAccount(), await newEvmPayer()];
      const wallet = await injectEvmWallet(page, payer);
      await page.goto(account.depositUrl);
      await expect(page.getByLabel('Test Wallet')).toBeChecked();
      await payIn(page, '2.5', labels[name]);
      await expect(receipt(page)).toBeFocused({ timeout: 30_000 });
      await expect(receipt(page)).toContainText('2.5 USDC added');
      await expect(page).toHaveTitle('2.5 USDC added · Tuppence');
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
    },
  );
}

test(
  'a person pays in from a browser wallet on Solana, from the link to the receipt',
  fullOnly,
  async ({ page }) => {
    const [account, payer] = [await openAccount(), await newSolanaPayer()];
    await injectSolanaWallet(page, payer);
    await page.goto(account.depositUrl);
    await payIn(page, '1,25', 'Solana');
    await expect(receipt(page)).toBeFocused({ timeout: 45_000 });
    await expect(receipt(page)).toContainText('1.25 USDC');
    await expect(receipt(page)).toContainText(/[1-9A-HJ-NP-Za-km-z]{80,90}/);
    expect(await balanceOf(payer, 'solana-mainnet')).toBe(8_750_000n);
    expect(await balanceIn(account)).toBe('1.25');
  },
);

test(
  'a person pays in from a contract wallet; one that is not deployed is told to deploy it first',
  fullOnly,
  async ({ page }) => {
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
  },
);

test(
  'declining in the wallet shows that nothing was paid, and allows another try',
  fullOnly,
  async ({ page }) => {
    const [account, payer] = [await openAccount(), await newEvmPayer()];
    const wallet = await injectEvmWallet(page, payer);
    wallet.declines = true;
    await page.goto(account.depositUrl);
    await payIn(page, '1', 'Base');
    await expect(problem(page)).toContainText('Nothing was paid');
    await expect(problem(page)).toContainText('You declined the payment in Test Wallet.');
    await expect(page.getByText('Sign in your wallet')).toBeHidden();
    await expect(problem(page)).toBeFocused();
    expect(await balanceOf(payer, 'base')).toBe(10_000_000n);
    expect(await callsOf(payer.address)).toBe(0);
    await expectAccessible(page);
    wallet.declines = false;
    await page.getByRole('button', { name: 'Pay 1 USDC' }).click();
    await expect(receipt(page)).toBeVisible({ timeout: 30_000 });
    await expect(problem(page)).toBeHidden();
    expect(await balanceIn(account)).toBe('1');
  },
);

test('a connection that is declined is told, and can be tried again', async ({ page }) => {
  const wallet = await injectEvmWallet(page, await newEvmPayer());
  wallet.declined = ['eth_requestAccounts'];
  await page.goto((await openAccount()).depositUrl);
  await connect(page);
  const told = page.getByText('You declined the connection in Test Wallet.');
  await expect(told).toBeVisible();
  wallet.declined = [];
  await connect(page);
  await expect(payButton(page)).toHaveText('Pay 5 USDC');
  await expect(told).toBeHidden();
});

test(
  'a wallet without enough money and an invalid amount each get a message, unpaid',
  fullOnly,
  async ({ page }) => {
    const account = await openAccount();
    const wallet = await injectEvmWallet(page, await newEvmPayer(500_000n, ['base']));
    await page.goto(account.depositUrl);
    await page.getByLabel('Base', { exact: true }).check();
    for (const [amount, message] of [
      ['0.5', 'The amount must be 1 USDC or more'],
      ['501', 'The amount must be 500 USDC or less'],
      ['ten', 'The amount must be a number, like 12.50'],
      ['1.0000001', 'The amount can have at most six decimal places'],
      ['', 'Enter an amount'],
    ] as const) {
      await amountField(page).fill(amount);
      await amountField(page).blur();
      await expect(amountField(page)).toHaveAccessibleDescription(new RegExp(message));
      await expect(amountField(page)).toHaveAttribute('aria-invalid', 'true');
      await expect(page.locator('.field.wrong')).toHaveText(new RegExp(message));
      await expect(payButton(page)).toBeEnabled();
    }
    expect(wallet.asked.filter((method) => method !== 'eth_accounts')).toEqual([]);
    await payIn(page, '1', 'Base');
    await expect(
      page.getByText('Test Wallet has only 0.5 USDC on Base. Send it 0.5 USDC more there.'),
    ).toBeVisible();
    await expect(page.getByLabel(/^Base/)).toBeFocused();
    expect(wallet.asked).not.toContain('eth_signTypedData_v4');
    expect(await balanceIn(account)).toBe('0');
  },
);

test('a lost response is requested again, also after a reload, and paid once', async ({ page }) => {
  const [account, payer] = [await openAccount(), await newEvmPayer()];
  const wallet = await injectEvmWallet(page, payer);
  let lost = 0;
  await page.route('**/v1/billing/deposits', async (route) => {
    if (route.request().headers()['payment-signature'] === undefined || lost > 0) return route.fallback();
    lost += 1;
    // The request arrives, but its answer does not.
    await route.fetch();
    await route.abort();
  });
  await page.goto(account.depositUrl);
  await payIn(page, '3', 'Arbitrum');
  await expect(page.getByRole('status')).toContainText('You will not pay twice');
  await expect(page.locator('[aria-current="step"]')).toHaveText('Wait for the network to confirm it');
  await page.reload();
  await expect(receipt(page)).toContainText('3 USDC', { timeout: 30_000 });
  expect(lost).toBe(1);
  expect(wallet.asked.filter((method) => method === 'eth_signTypedData_v4')).toHaveLength(1);
  expect(await balanceOf(payer, 'arbitrum')).toBe(7_000_000n);
  expect(await balanceIn(account)).toBe('3');
});

test(
  'an answer that is not from the service leaves the payment open, and it is finished after a reload, with one signature',
  fullOnly,
  async ({ page }) => {
    const [account, payer] = [await openAccount(), await newEvmPayer()];
    const wallet = await injectEvmWallet(page, payer);
    await page.route('**/v1/billing/deposits', async (route) => {
      if (route.request().headers()['payment-signature'] === undefined) return route.fallback();
      await route.fulfill({ status: 403, contentType: 'text/html', body: '<p>Blocked by a proxy</p>' });
    });
    await page.goto(account.depositUrl);
    await payIn(page, '1', 'Base');
    await expect(problem(page)).toContainText('Reload this page.');
    await page.unroute('**/v1/billing/deposits');
    await page.reload();
    await expect(receipt(page)).toContainText('1 USDC', { timeout: 30_000 });
    expect(wallet.asked.filter((method) => method === 'eth_signTypedData_v4')).toHaveLength(1);
    expect(await balanceIn(account)).toBe('1');
  },
);

test(
  'a payment whose outcome nobody can tell is not sent again, and does not stand in the way of another',
  fullOnly,
  async ({ page }) => {
    const [account, payer] = [await openAccount(), await newEvmPayer()];
    await injectEvmWallet(page, payer);
    const error = { code: 'payment_already_used', message: 'Used.', payment: 'unknown', retry: 'stop' };
    await page.route('**/v1/billing/deposits', async (route) => {
      if (route.request().headers()['payment-signature'] === undefined) return route.fallback();
      await route.fulfill({ status: 409, json: { error } });
    });
    await page.goto(account.depositUrl);
    await payIn(page, '1', 'Base');
    await expect(problem(page)).toContainText('It is not known whether this was paid');
    await expect(problem(page)).toContainText('Check your wallet before you pay again.');
    await expect(page.getByRole('button', { name: 'Pay 1 USDC again' })).toBeVisible();
    await page.unroute('**/v1/billing/deposits');
    await page.reload();
    await payIn(page, '2', 'Base');
    await expect(receipt(page)).toContainText('2 USDC', { timeout: 30_000 });
  },
);

test('without JavaScript the page says what it needs, and shows its URL as a QR code', async ({
  browser,
}) => {
  const account = await openAccount();
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(account.depositUrl);
  // Locators by text skip noscript.
  await expect(page.locator('noscript .notice')).toBeVisible();
  await expect(form(page)).toBeHidden();
  await expect(page.locator('noscript').getByRole('img', { name: 'QR code' })).toBeVisible();
  await expect(page.locator('noscript .address')).toHaveText(account.depositUrl);
  await context.close();
});

test('an unknown account has no deposit page', fullOnly, async ({ page }) => {
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

test('everything can be done with the keyboard', fullOnly, async ({ page }) => {
  const [account, payer] = [await openAccount(), await newEvmPayer()];
  await injectEvmWallet(page, payer);
  await page.goto(account.depositUrl);
  await expect(page.getByLabel('Test Wallet')).toBeChecked();
  await page.getByRole('banner').getByRole('link', { name: 'Tuppence' }).focus();
  await page.keyboard.press('Tab');
  await expect(page.getByLabel('Amount in USDC')).toBeFocused();
  for (const preset of ['5', '10', '25', '50', '100']) {
    await page.keyboard.press('Tab');
    await expect(page.getByRole('button', { name: preset, exact: true })).toBeFocused();
  }
  await page.keyboard.press('Tab');
  await expect(page.getByLabel('Test Wallet')).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowDown');
  await expect(page.getByLabel('Polygon')).toBeChecked();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Connect Test Wallet' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Pay 5 USDC' })).toBeFocused();
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
    test(`the page is accessible and fits: ${what}`, fullOnly, async ({ page }) => {
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
