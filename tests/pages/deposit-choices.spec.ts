import { expect, test } from '@playwright/test';
import { topUpUsdc } from '@/local/evm/funding';
import { balanceIn, openAccount } from '../support/accounts';
import { injectEvmWallet, injectSolanaWallet } from '../support/browser-wallets';
import { desktopAndPhone, layoutShiftsOf, watchLayoutShifts } from '../support/layout-shifts';
import { newEvmPayer, newSolanaPayer } from '../support/payers';
import { network } from '../support/stack';
import { expectAccessible } from './accessible';
import { amountField, connect, networks, payButton, payIn, receipt } from './deposit-page';

/** What the deposit page says before and after a payment: payee, amount, network, and what is missing. */

test('the page chooses none of several wallets, and each shows the networks that it pays on', async ({
  page,
}) => {
  await injectEvmWallet(page, await newEvmPayer(0n));
  await injectSolanaWallet(page, await newSolanaPayer());
  await page.goto((await openAccount()).depositUrl);
  await expect(page.getByLabel('Test Wallet')).not.toBeChecked();
  await expect(page.getByLabel('Test Sun Wallet')).not.toBeChecked();
  await payButton(page).click();
  await expect(page.getByText('Choose a wallet', { exact: true })).toBeVisible();
  await expect(page.getByLabel('Test Wallet', { exact: true })).toBeFocused();
  await page.getByLabel('Test Sun Wallet').check();
  await expect(networks(page)).toHaveText(['Solana']);
  await page.getByLabel('Test Wallet', { exact: true }).check();
  await expect(networks(page)).toHaveText(['Base', 'Polygon', 'Arbitrum']);
  for (const label of ['Base', 'Polygon', 'Arbitrum'])
    await expect(page.getByLabel(label, { exact: true })).not.toBeChecked();
  await connect(page);
  await expect(page.getByText('Connected: 0x')).toBeVisible();
  await payButton(page).click();
  await expect(
    page.getByText('Test Wallet has less than 5 USDC on each network. Send it 5 USDC more on Base.', {
      exact: true,
    }),
  ).toBeVisible();
  await expect(page.getByLabel(/^Base/)).toBeFocused();
});

test('a network has to be chosen when nobody knows what the wallet holds', async ({ page }) => {
  await injectEvmWallet(page, await newEvmPayer());
  await page.route('**/holdings', (route) => route.abort());
  await page.goto((await openAccount()).depositUrl);
  await connect(page);
  await payButton(page).click();
  await expect(page.getByText('Choose a network', { exact: true })).toBeVisible();
  await expect(page.getByLabel(/^Base/)).toBeFocused();
});

test('the network follows what the wallet holds, until the person chooses one', async ({ page }) => {
  const payer = await newEvmPayer(6_000_000n, ['base']);
  const { rpcUrl, usdc } = network('arbitrum');
  await topUpUsdc(rpcUrl, usdc, [payer.address], 30_000_000n, 30_000_000n);
  await injectEvmWallet(page, payer);
  await page.goto((await openAccount()).depositUrl);
  await connect(page);
  await expect(page.getByLabel(/^Base/)).toBeChecked();
  await amountField(page).fill('20');
  await expect(page.getByLabel(/^Arbitrum/)).toBeChecked();
  await page.getByRole('button', { name: '50', exact: true }).click();
  await expect(page.getByRole('main')).toContainText('Missing on Arbitrum20 USDC');
  await page.getByLabel(/^Polygon/).check();
  await amountField(page).fill('5');
  await expect(page.getByLabel(/^Polygon/)).toBeChecked();
  await expect(page.getByRole('main')).toContainText('Missing on Polygon5 USDC');
});

test('without a wallet the page first offers a phone, then says which wallets work, and asks for nothing else', async ({
  page,
}) => {
  await page.goto((await openAccount()).depositUrl);
  await expect(page.getByText('No wallet was found in this browser')).toBeVisible();
  await expect(payButton(page)).toBeHidden();
  await expect(amountField(page)).toBeHidden();
  await expect(page.getByRole('img', { name: 'QR code' })).toBeInViewport({ ratio: 1 });
  await expect(page.getByText('MetaMask, Coinbase Wallet or Rabby')).toBeVisible();
  await expectAccessible(page);
});

test('the page says whom one pays, for which account, what it holds, and what the wallet will be asked to sign', async ({
  page,
}) => {
  const account = await openAccount();
  await injectEvmWallet(page, await newEvmPayer());
  await page.goto(account.depositUrl);
  const main = page.getByRole('main');
  await expect(page.getByRole('banner')).toContainText(`Tuppence ${new URL(account.depositUrl).host}`);
  await expect(main).toContainText(account.accountId);
  await expect(main).toContainText('Balance0 USDC');
  await page.getByRole('button', { name: '25', exact: true }).click();
  await page.getByLabel('Arbitrum', { exact: true }).check();
  await expect(main).toContainText('Total · No network fee25 USDC');
  await expect(main).toContainText('New balance25 USDC');
  await page.getByText('What your wallet will ask you to sign').click();
  const { payTo, usdc } = network('arbitrum');
  await expect(main).toContainText(new RegExp(payTo, 'i'));
  await expect(main).toContainText(new RegExp(usdc, 'i'));
});

test('the page shows the balance of a wallet on each network, and chooses one that holds enough', async ({
  page,
}) => {
  const wallet = await injectEvmWallet(page, await newEvmPayer(7_500_000n, ['polygon']));
  await page.goto((await openAccount()).depositUrl);
  await connect(page);
  await expect(networks(page)).toHaveText([/Base 0 USDC/, /Polygon 7\.5 USDC/, /Arbitrum 0 USDC/]);
  await expect(page.getByLabel(/^Polygon/)).toBeChecked();
  await expect(payButton(page)).toHaveText('Pay 5 USDC');
  await page.getByLabel(/^Base/).check();
  await expect(page.getByRole('main')).toContainText('Missing on Base5 USDC');
  await page.getByLabel(/^Polygon/).check();
  await amountField(page).fill('7.51');
  await expect(page.getByRole('main')).toContainText('Missing on Polygon0.01 USDC');
  await payButton(page).click();
  await expect(
    page.getByText(
      'Test Wallet has only 7.5 USDC on Polygon. Send it 0.01 USDC more there, or enter a smaller amount.',
    ),
  ).toBeVisible();
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

test('an amount that is not valid keeps the wallet from being asked, and the page leads to it', async ({
  page,
}) => {
  const wallet = await injectEvmWallet(page, await newEvmPayer());
  await page.goto((await openAccount()).depositUrl);
  await amountField(page).fill('0.5');
  await connect(page);
  await expect(amountField(page)).toBeFocused();
  await expect(page).toHaveTitle(/^Error: Add money/);
  await expect(page.locator('.field.wrong')).toHaveText(/The amount must be 1 USDC or more/);
  expect(wallet.asked).not.toContain('eth_requestAccounts');
});

test('the receipt says when, where, by whom and how much was paid, and is still there after a reload', async ({
  page,
}) => {
  const [account, payer] = [await openAccount(), await newEvmPayer()];
  await injectEvmWallet(page, payer);
  await page.goto(account.depositUrl);
  await payIn(page, '2', 'Base');
  await expect(receipt(page)).toBeFocused({ timeout: 30_000 });
  // All of it fits into its frame.
  expect(await receipt(page).evaluate((frame) => frame.scrollWidth - frame.clientWidth)).toBe(0);
  for (let time = 0; time < 2; time += 1) {
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('2 USDC added');
    await expect(receipt(page)).toContainText(String(new Date().getUTCFullYear()));
    await expect(receipt(page).getByText(/^pc_/)).toBeVisible();
    await expect(receipt(page)).toContainText('New balance2 USDC');
    await expect(receipt(page)).toContainText('Amount2 USDC');
    await expect(receipt(page)).toContainText(new RegExp(`Paid from${payer.address}`, 'i'));
    await expect(receipt(page)).toContainText('Paid toTuppence');
    await page.reload();
  }
  await page.getByRole('button', { name: 'Add more' }).click();
  await page.reload();
  await expect(receipt(page)).toBeHidden();
  await expect(page.getByRole('main')).toContainText('Balance2 USDC');
});

test('nothing on the page moves while it finds a wallet, reads what that holds, and shows the receipt', async ({
  page,
}) => {
  const { depositUrl } = await openAccount();
  await watchLayoutShifts(page);
  for (const viewport of desktopAndPhone) {
    await page.setViewportSize(viewport);
    await page.goto(depositUrl, { waitUntil: 'networkidle' });
    await expect(page.getByText('No wallet was found in this browser')).toBeVisible();
    expect(await layoutShiftsOf(page)).toEqual([]);
  }
  const wallet = await injectEvmWallet(page, await newEvmPayer(3_000_000n, ['base']));
  wallet.isConnected = true;
  for (const viewport of desktopAndPhone) {
    await page.setViewportSize(viewport);
    await page.goto(depositUrl);
    await expect(networks(page).first()).toHaveText(/Base [32] USDC/);
    expect(await layoutShiftsOf(page)).toEqual([]);
    await page.route('**/v1/billing/deposits', async (route) => {
      const answer = await route.fetch();
      // What follows a click soon is expected, and not counted.
      await new Promise((done) => setTimeout(done, 1_000));
      await route.fulfill({ response: answer });
    });
    await payIn(page, '1', 'Base');
    await expect(receipt(page)).toBeFocused({ timeout: 30_000 });
    expect(await layoutShiftsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Add more' }).click();
  }
});

test('a hostile name of a wallet cannot turn or fill the page', async ({ page }) => {
  await injectEvmWallet(page, await newEvmPayer(0n), { name: `\u202Eevil\n${'x'.repeat(500)}<b>` });
  await page.goto((await openAccount()).depositUrl);
  await expect(page.getByLabel(`evil${'x'.repeat(36)}`, { exact: true })).toBeChecked();
});
