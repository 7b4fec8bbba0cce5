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
const pay = (page: Page) => page.locator('#pay');
const amountField = (page: Page) => page.getByLabel('Amount in USDC');
/** The networks that can be chosen, with what the wallet holds there. */
const networks = (page: Page) => page.getByRole('group', { name: 'Network' }).locator('label:visible');

async function payIn(page: Page, amount: string, network: string): Promise<void> {
  await page.getByLabel('Amount in USDC').fill(amount);
  // What the wallet holds there stands behind the name.
  await page.getByLabel(new RegExp(`^${network}( |$)`)).check();
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

test('of several wallets none is chosen, and each shows the networks that it pays on', async ({ page }) => {
  await injectEvmWallet(page, await newEvmPayer(0n));
  await injectSolanaWallet(page, await newSolanaPayer());
  await page.goto((await openAccount()).depositUrl);
  await expect(page.getByLabel('Test Wallet')).not.toBeChecked();
  await expect(page.getByLabel('Test Sun Wallet')).not.toBeChecked();
  await expect(page.getByText('Choose a wallet to go on.')).toBeVisible();
  await page.getByLabel('Test Sun Wallet').check();
  await expect(networks(page)).toHaveText(['Solana']);
  await page.getByLabel('Test Wallet', { exact: true }).check();
  await expect(networks(page)).toHaveText(['Base', 'Polygon', 'Arbitrum']);
  for (const label of ['Base', 'Polygon', 'Arbitrum'])
    await expect(page.getByLabel(label, { exact: true })).not.toBeChecked();
  await expect(pay(page)).toBeDisabled();
});

test('without a wallet the page says which ones work, and has no button that cannot', async ({ page }) => {
  await page.goto((await openAccount()).depositUrl);
  await expect(page.getByText('No wallet was found in this browser')).toBeVisible();
  await expect(pay(page)).toBeHidden();
  await expect(page.getByRole('group', { name: 'Network' })).toBeHidden();
  await expectAccessible(page);
});

test('the page says whom one pays, for which account, what it holds, and what the wallet will be asked to sign', async ({
  page,
}) => {
  const account = await openAccount();
  await injectEvmWallet(page, await newEvmPayer());
  await page.goto(account.depositUrl);
  const main = page.getByRole('main');
  await expect(main).toContainText(`Tuppence ${new URL(account.depositUrl).host}`);
  await expect(main).toContainText(account.accountId);
  await expect(main).toContainText('Balance0 USDC');
  await page.getByRole('button', { name: '25', exact: true }).click();
  await page.getByLabel('Arbitrum', { exact: true }).check();
  await expect(main).toContainText('You pay25 USDC');
  await expect(main).toContainText('Balance afterwards25 USDC');
  await expect(main).toContainText('Network feenone');
  await page.getByText('What your wallet will ask you to sign').click();
  const { payTo, usdc } = network('arbitrum');
  await expect(main).toContainText(new RegExp(payTo, 'i'));
  await expect(main).toContainText(new RegExp(usdc, 'i'));
});

test('what a wallet holds is shown on each network, and one that holds enough is chosen', async ({
  page,
}) => {
  const wallet = await injectEvmWallet(page, await newEvmPayer(7_500_000n, ['polygon']));
  await page.goto((await openAccount()).depositUrl);
  await page.getByRole('button', { name: 'Show what it holds' }).click();
  await expect(networks(page)).toHaveText([/Base 0 USDC/, /Polygon 7\.5 USDC/, /Arbitrum 0 USDC/]);
  await expect(page.getByLabel(/^Polygon/)).toBeChecked();
  await expect(pay(page)).toBeEnabled();
  await page.getByLabel(/^Base/).check();
  await expect(page.getByText('The wallet holds only 0 USDC on Base')).toBeVisible();
  await expect(pay(page)).toBeDisabled();
  await page.getByLabel(/^Polygon/).check();
  await amountField(page).fill('7.51');
  await expect(page.getByText('The wallet holds only 7.5 USDC on Polygon')).toBeVisible();
  await expect(pay(page)).toBeDisabled();
  expect(wallet.asked).not.toContain('eth_signTypedData_v4');
  await expectAccessible(page);
});

test('a wallet that knows the page shows what it holds without being asked', async ({ page }) => {
  const wallet = await injectEvmWallet(page, await newEvmPayer(3_000_000n, ['base']));
  wallet.isConnected = true;
  await page.goto((await openAccount()).depositUrl);
  await expect(networks(page).first()).toHaveText(/Base 3 USDC/);
  expect(wallet.asked).not.toContain('eth_requestAccounts');
});

test('the holdings of a wallet are read for an address alone, and for a bounded number of times', async () => {
  const { depositUrl } = await openAccount();
  const read = (wallet: unknown) =>
    fetch(`${depositUrl}/holdings`, { method: 'POST', body: JSON.stringify({ wallet }) });
  for (const wrong of ['', '0x12', 7, null, `0x${'g'.repeat(40)}`, 'x'.repeat(44)])
    expect((await read(wrong)).status).toBe(400);
  const { address } = await newEvmPayer(2_000_000n, ['base']);
  const answer = await read(address);
  expect([answer.status, await answer.json()]).toMatchObject([
    200,
    { balance: '0', holdings: { base: '2', polygon: '0', arbitrum: '0' } },
  ]);
  const unknown = await fetch(depositUrl.replace(/acct_.*/, `acct_${'0'.repeat(24)}/holdings`), {
    method: 'POST',
    body: JSON.stringify({ wallet: address }),
  });
  expect(unknown.status).toBe(404);
});

test('a network that the wallet does not have is added to it', async ({ page }) => {
  const [account, payer] = [await openAccount(), await newEvmPayer()];
  const wallet = await injectEvmWallet(page, payer);
  wallet.unknownChains.add(137);
  await page.goto(account.depositUrl);
  await payIn(page, '1', 'Polygon');
  await expect(receipt(page)).toContainText('1 USDC', { timeout: 30_000 });
  expect(wallet.asked).toContain('wallet_addEthereumChain');
  expect(await balanceIn(account)).toBe('1');
});

test('the receipt says when, where and how much was paid, and is still there after a reload', async ({
  page,
}) => {
  const [account, payer] = [await openAccount(), await newEvmPayer()];
  await injectEvmWallet(page, payer);
  await page.goto(account.depositUrl);
  await payIn(page, '2', 'Base');
  await expect(receipt(page)).toBeFocused({ timeout: 30_000 });
  for (let time = 0; time < 2; time += 1) {
    await expect(receipt(page)).toContainText('2 USDC');
    await expect(receipt(page)).toContainText(String(new Date().getUTCFullYear()));
    await expect(receipt(page).getByRole('link', { name: /^pc_/ })).toHaveAttribute(
      'href',
      /^\/v1\/paid-calls\/pc_/,
    );
    await expect(receipt(page)).toContainText('Balance of the account now2 USDC');
    await page.reload();
  }
  await page.getByRole('button', { name: 'Add more' }).click();
  await page.reload();
  await expect(receipt(page)).toBeHidden();
  await expect(page.getByRole('main')).toContainText('Balance2 USDC');
});

test('a hostile name of a wallet cannot turn or fill the page', async ({ page }) => {
  await injectEvmWallet(page, await newEvmPayer(0n), { name: `\u202Eevil\n${'x'.repeat(500)}<b>` });
  await page.goto((await openAccount()).depositUrl);
  await expect(page.getByLabel(`evil${'x'.repeat(36)}`, { exact: true })).toBeChecked();
});

test('declining in the wallet shows that nothing was paid, and allows another try', async ({ page }) => {
  const [account, payer] = [await openAccount(), await newEvmPayer()];
  const wallet = await injectEvmWallet(page, payer);
  wallet.declines = true;
  await page.goto(account.depositUrl);
  await payIn(page, '1', 'Base');
  await expect(page.getByRole('status')).toContainText('You declined in the wallet. Nothing was paid.');
  await expect(problem(page)).toBeHidden();
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
    await expect(pay(page)).toBeDisabled();
  }
  expect(wallet.asked.filter((method) => method !== 'eth_accounts')).toEqual([]);
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
  await expect(page.locator('noscript').getByRole('img', { name: 'QR code' })).toBeVisible();
  await expect(page.locator('noscript .address')).toHaveText(account.depositUrl);
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
  await page.getByRole('main').getByRole('link', { name: 'Tuppence' }).focus();
  await page.keyboard.press('Tab');
  await expect(page.getByLabel('Amount in USDC')).toBeFocused();
  for (const preset of ['5', '10', '25', '50', '100']) {
    await page.keyboard.press('Tab');
    await expect(page.getByRole('button', { name: preset, exact: true })).toBeFocused();
  }
  await page.keyboard.press('Tab');
  await expect(page.getByLabel('Test Wallet')).toBeFocused();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Show what it holds' })).toBeFocused();
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowDown');
  await expect(page.getByLabel('Polygon')).toBeChecked();
  await page.keyboard.press('Tab');
  await expect(page.getByText('What your wallet will ask you to sign')).toBeFocused();
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
