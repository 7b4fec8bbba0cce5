import { expect, type Page, test } from '@playwright/test';
import { billing, operations } from '@/lib/catalog';
import { referencePath } from '@/lib/discovery/contents';
import { balanceOf } from '../support/balances';
import { injectEvmWallet, injectSolanaWallet } from '../support/browser-wallets';
import { callsOf } from '../support/database';
import { layoutShiftsOf, watchLayoutShifts } from '../support/layout-shifts';
import { newEvmPayer, newSolanaPayer } from '../support/payers';
import { stack } from '../support/stack';
import { fullOnly } from '../support/tiers';
import { expectAccessible } from './accessible';

/** "Try it" on the pages of paid calls: the unpaid call, its 402 in words, and the payment from a browser wallet. */

const at = (id: string) => `${stack().apiUrl}/docs/reference/${id}`;

const airports = 'airports/airports.search';
const unpaid = (page: Page) => page.getByRole('region', { name: 'Response without a payment' });
const paid = (page: Page) => page.getByRole('region', { name: 'Response to the paid call' });
const problem = (page: Page) => page.getByRole('alert');
const confirm = (page: Page) =>
  page.getByRole('dialog', { name: 'Pay for this call?' }).getByRole('button', { name: 'Pay' });

async function open(page: Page, id: string): Promise<void> {
  await page.goto(at(id));
  await page.getByRole('link', { name: 'Try it' }).click();
  await expect(page.getByRole('button', { name: 'Send without a payment' })).toBeVisible();
}

async function ask(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Send without a payment' }).click();
  await expect(unpaid(page)).toBeFocused();
}

test('the unpaid call shows its 402 in a sentence, and payee, token and expiry of each network below', async ({
  page,
}) => {
  await open(page, airports);
  await ask(page);
  await expect(unpaid(page).getByRole('heading')).toHaveText('402 Payment required');
  await expect(unpaid(page)).toContainText('costs 0.001 USDC on Base, Polygon, Arbitrum or Solana.');
  await unpaid(page).getByText('Addresses and expiry').click();
  const response = await fetch(`${stack().apiUrl}/v1/airports/search`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: 'nairobi' }),
  });
  const { accepts } = (await response.json()) as {
    accepts: { payTo: string; asset: string }[];
  };
  const labels = ['Base', 'Polygon', 'Arbitrum', 'Solana'];
  const rows = unpaid(page).locator('tbody tr');
  await expect(rows).toHaveCount(labels.length);
  for (const [at, label] of labels.entries()) {
    await expect(rows.nth(at)).toContainText(label);
    await expect(rows.nth(at)).toContainText('0.001 USDC');
    await expect(rows.nth(at)).toContainText(accepts[at]?.payTo ?? 'missing');
    await expect(rows.nth(at)).toContainText(accepts[at]?.asset ?? 'missing');
    await expect(rows.nth(at)).toContainText('5 minutes after it is signed');
  }
  await expect(page.getByText('No wallet for this network was found')).toBeVisible();
  await expect(page.getByRole('button', { name: 'Copy: Command that pays' })).toBeVisible();
  await expect(page.getByRole('button', { name: /^Pay / })).toHaveCount(0);
  await expectAccessible(page);
});

test('a call is paid from an EVM wallet on the chosen network, once it is confirmed', async ({ page }) => {
  const payer = await newEvmPayer();
  const wallet = await injectEvmWallet(page, payer);
  await open(page, airports);
  await page.getByLabel('query').fill('mombasa');
  await ask(page);
  await page.getByLabel('Polygon', { exact: true }).check();
  await expect(page.getByLabel('Test Wallet')).toBeChecked();
  await page.getByRole('button', { name: 'Pay 0.001 USDC on Polygon' }).click();
  await expect(page.getByRole('dialog', { name: 'Pay for this call?' })).toContainText(
    /Amount0\.001 USDC on PolygonNetwork feeNoneFromTest WalletTo0x/,
  );
  await expectAccessible(page);
  // Nothing is signed until the dialog is answered.
  await page.getByRole('button', { name: 'Cancel' }).click();
  expect(wallet.asked).toEqual([]);
  await page.getByRole('button', { name: 'Pay 0.001 USDC on Polygon' }).click();
  await confirm(page).click();
  await expect(paid(page)).toBeFocused({ timeout: 30_000 });
  await expect(paid(page).getByRole('heading', { level: 3 })).toHaveText('200 OK');
  await expect(paid(page).getByRole('heading', { level: 3 })).toBeInViewport();
  // The button that opens the panel is in view when the page opens, and the page stays where it is.
  expect(await page.evaluate(() => scrollY)).toBe(0);
  await expect(paid(page).getByRole('button', { name: 'Copy: Response' })).toBeVisible();
  await expect(paid(page)).toContainText('0.001 USDC on Polygon');
  await expect(paid(page).getByRole('link', { name: /^0x[0-9a-f]{64}$/ })).toHaveAttribute('href', /0x/);
  await expect(paid(page)).toContainText('"iataCode": "MBA"');
  await expect(paid(page).locator('.hljs-attr', { hasText: '"iataCode"' }).first()).toBeVisible();
  await expect(paid(page).locator('.hljs-string', { hasText: '"MBA"' })).toBeVisible();
  expect(wallet.typedData?.message).toMatchObject({ from: payer.address, value: '1000' });
  expect(await balanceOf(payer, 'polygon')).toBe(9_999_000n);
  expect(await balanceOf(payer, 'base')).toBe(10_000_000n);
  await expectAccessible(page);
  const [receipts] = await Promise.all([
    page.waitForEvent('popup'),
    paid(page).getByRole('button', { name: 'Verify the receipt' }).click(),
  ]);
  await expect(receipts.getByRole('heading', { name: 'Genuine receipt' })).toBeVisible();
  await expect(receipts.getByRole('main')).toContainText('Request Same as you entered');
});

test('the response to a paid call is below the head of the panel, on a phone too', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await injectEvmWallet(page, await newEvmPayer());
  await open(page, airports);
  await ask(page);
  await page.getByRole('button', { name: 'Pay 0.001 USDC on Base' }).click();
  await confirm(page).click();
  await expect(paid(page)).toBeFocused({ timeout: 30_000 });
  const head = await page.locator('.try-head').boundingBox();
  const heading = await paid(page).getByRole('heading', { level: 3 }).boundingBox();
  expect(heading?.y).toBeGreaterThan((head?.y ?? 0) + (head?.height ?? 0));
});

test('a call is paid from a Solana wallet', fullOnly, async ({ page }) => {
  const payer = await newSolanaPayer();
  await injectSolanaWallet(page, payer);
  await open(page, airports);
  await ask(page);
  await page.getByLabel('Solana', { exact: true }).check();
  await page.getByRole('button', { name: 'Pay 0.001 USDC on Solana' }).click();
  await confirm(page).click();
  await expect(paid(page)).toContainText('0.001 USDC on Solana', { timeout: 45_000 });
  await expect(paid(page).getByRole('link', { name: /^[1-9A-HJ-NP-Za-km-z]{80,90}$/ })).toBeVisible();
  await expect(paid(page)).toContainText('"airports"');
  expect(await balanceOf(payer, 'solana-mainnet')).toBe(9_999_000n);
});

test('a lost answer is asked for again, also after a reload, with the same signature', async ({ page }) => {
  const payer = await newEvmPayer();
  const wallet = await injectEvmWallet(page, payer);
  let lost = 0;
  await page.route('**/v1/airports/search', async (route) => {
    if (route.request().headers()['payment-signature'] === undefined || lost > 0) return route.fallback();
    lost += 1;
    // The request arrives, but its answer does not.
    await route.fetch();
    await route.abort();
  });
  await open(page, airports);
  await ask(page);
  await page.getByRole('button', { name: 'Pay 0.001 USDC on Base' }).click();
  await confirm(page).click();
  await expect(page.getByRole('status').filter({ hasText: 'You will not pay twice' })).toBeVisible();
  await page.reload();
  await expect(paid(page)).toContainText('0.001 USDC on Base', { timeout: 30_000 });
  expect(lost).toBe(1);
  expect(wallet.asked.filter((method) => method === 'eth_signTypedData_v4')).toHaveLength(1);
  expect(await balanceOf(payer, 'base')).toBe(9_999_000n);
});

test('a wallet that declines, or has no money, is told so, and nothing is paid', async ({ page }) => {
  const payer = await newEvmPayer(0n);
  const wallet = await injectEvmWallet(page, payer);
  wallet.declines = true;
  await open(page, airports);
  await ask(page);
  await page.getByRole('button', { name: 'Pay 0.001 USDC on Base' }).click();
  await confirm(page).click();
  await expect(problem(page)).toBeFocused();
  await expect(problem(page)).toContainText('You declined the payment in');
  await expectAccessible(page);
  wallet.declines = false;
  await page.getByRole('button', { name: 'Pay 0.001 USDC on Base' }).click();
  await confirm(page).click();
  await expect(problem(page)).toContainText('does not have enough USDC');
  expect(await callsOf(payer.address)).toBe(0);
});

test(
  'a call is tried and paid with the keyboard, and its progress is beside the button',
  fullOnly,
  async ({ page }) => {
    await injectEvmWallet(page, await newEvmPayer());
    await open(page, airports);
    await page.getByLabel('Edit as JSON').focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect(unpaid(page)).toBeFocused();
    for (const next of [
      page.getByText('Addresses and expiry', { exact: true }),
      page.getByText('Full response', { exact: true }),
      page.getByLabel('Base', { exact: true }),
    ]) {
      await page.keyboard.press('Tab');
      await expect(next).toBeFocused();
    }
    await page.keyboard.press('ArrowDown');
    await expect(page.getByLabel('Polygon', { exact: true })).toBeChecked();
    await page.keyboard.press('Tab');
    await expect(page.getByLabel('Test Wallet')).toBeFocused();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect(confirm(page)).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(page.getByRole('button', { name: 'Pay 0.001 USDC on Polygon' })).toBeFocused();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await expect(paid(page)).toBeFocused({ timeout: 30_000 });
  },
);

test('a link to "Try it" opens it, nothing on the page moves, and the link opens it again after it was closed', async ({
  page,
}) => {
  await watchLayoutShifts(page);
  await page.goto(`${at(airports)}#try`, { waitUntil: 'networkidle' });
  const dialog = page.getByRole('dialog', { name: 'Try it: Search airports' });
  await expect(dialog.getByRole('button', { name: 'Send without a payment' })).toBeVisible();
  await ask(page);
  expect(await layoutShiftsOf(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await expect(dialog).toBeHidden();
  await expect(page).toHaveURL(at(airports));
  await page.getByRole('link', { name: 'Try it' }).click();
  await expect(dialog).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('link', { name: 'Try it' })).toBeFocused();
});

test('above the text of a narrow page there is a link to "Try it", and closing it scrolls nowhere', async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(at(airports));
  const link = page.getByRole('link', { name: 'Try it' });
  expect((await link.boundingBox())?.y).toBeLessThan(844);
  await link.click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
});

test('a required field that is empty is named, and nothing is sent', async ({ page }) => {
  await open(page, airports);
  await page.getByLabel('query').fill('');
  await page.getByRole('button', { name: 'Send without a payment' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'Enter query. It is required.' })).toBeVisible();
  await expect(page.getByRole('button', { name: /^Pay/ })).toBeHidden();
});

test('without a script, the page says that "Try it" needs one', async ({ browser }) => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(`${at(airports)}#try`);
  await expect(page.locator('.call-try p')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Try it' })).toBeHidden();
  await context.close();
});

test('the network is one that the wallet in this browser can pay on', async ({ page }) => {
  await injectSolanaWallet(page, await newSolanaPayer());
  await open(page, airports);
  await ask(page);
  await expect(page.getByLabel('Solana', { exact: true })).toBeChecked();
  await expect(page.getByRole('button', { name: 'Pay 0.001 USDC on Solana' })).toBeVisible();
  await page.getByLabel('Base', { exact: true }).check();
  await expect(page.getByText('No wallet for this network was found')).toBeVisible();
});

test('a body is filled in as fields of its schema or as JSON, and both have the same values', async ({
  page,
}) => {
  const sent = async () => {
    const [request] = await Promise.all([page.waitForRequest('**/v1/flights/search'), ask(page)]);
    return request.postDataJSON();
  };
  await open(page, 'flights/flights.search');
  await page.getByLabel('origin').fill('BER');
  await page.getByLabel('nonStop').selectOption('false');
  await page.getByLabel('maxResults').fill('');
  await page.getByText(/more fields, optional$/).click();
  await page.getByLabel('adults').fill('2');
  const { origin, nonStop, adults, ...others } = await sent();
  expect([origin, nonStop, adults]).toEqual(['BER', false, 2]);
  expect(others).not.toHaveProperty('maxResults');
  await page.getByLabel('Edit as JSON').check();
  const body = JSON.parse(await page.getByLabel('Body (JSON)').inputValue());
  expect(body).toEqual({ origin, nonStop, adults, ...others });
  await page.getByLabel('Body (JSON)').fill(JSON.stringify({ ...body, origin: 'ROM', adults: undefined }));
  await page.getByLabel('Edit as JSON').uncheck();
  await expect(page.getByLabel('origin')).toHaveValue('ROM');
  await expect(page.getByLabel('adults')).toHaveValue('');
  await expectAccessible(page);
  await page.getByLabel('Edit as JSON').check();
  await page.getByLabel('Body (JSON)').fill('{ "nowhere": 1 }');
  await page.getByLabel('Edit as JSON').click();
  await expect(problem(page)).toContainText('It cannot be shown as fields');
  await expect(page.getByLabel('Edit as JSON')).toBeChecked();
});

test('the fields of every body hold its example', fullOnly, async ({ page }) => {
  for (const operation of operations.filter(({ takesBody }) => takesBody)) {
    const { id, example } = operation;
    await open(page, referencePath(operation).slice('/docs/reference/'.length));
    await page.getByLabel('Edit as JSON').check();
    expect(JSON.parse(await page.getByLabel('Body (JSON)').inputValue()), id).toEqual(example.body);
  }
});

test('a network that the wallet does not have is added to it', async ({ page }) => {
  const wallet = await injectEvmWallet(page, await newEvmPayer());
  wallet.unknownChains.add(137);
  await open(page, airports);
  await ask(page);
  await page.getByLabel('Polygon', { exact: true }).check();
  await page.getByRole('button', { name: 'Pay 0.001 USDC on Polygon' }).click();
  await confirm(page).click();
  await expect(paid(page)).toContainText('0.001 USDC on Polygon', { timeout: 30_000 });
  expect(wallet.asked).toContain('wallet_addEthereumChain');
});

test('input that is wrong is named: by the page, or by the answer of the service', async ({ page }) => {
  await open(page, 'files/uploads.renew');
  await page.getByLabel('id in the path').fill('');
  await page.getByRole('button', { name: 'Send without a payment' }).click();
  await expect(problem(page)).toContainText('Enter id.');
  await open(page, airports);
  await page.getByLabel('Edit as JSON').check();
  await page.getByLabel('Body (JSON)').fill('{ "query": ');
  await page.getByRole('button', { name: 'Send without a payment' }).click();
  await expect(problem(page)).toBeFocused();
  await expect(problem(page)).toContainText(
    'The body is not valid JSON. Check the quotes, commas and brackets near the end.',
  );
});

test(
  'calls of every kind can be tried: with a path, without a body, and with a price of the caller',
  fullOnly,
  async ({ page }) => {
    for (const [id, price] of [
      ['files/uploads.renew', '0.005'],
      ['files/uploads.delete', '0.001'],
      ['flights/flights.offer', '0.01'],
      ['billing/billing.deposit', billing.deposit.example.body.amount],
    ] as const) {
      await open(page, id);
      await ask(page);
      await expect(unpaid(page)).toContainText(`${price} USDC`);
    }
  },
);

test('no other server is asked, and no policy is broken', async ({ page }) => {
  const wrong: string[] = [];
  const origins = new Set<string>();
  page.on('pageerror', (error) => wrong.push(error.message));
  page.on('console', (message) => {
    // Browsers report every answer with an error status.
    if (!message.text().includes('status of 402')) wrong.push(message.text());
  });
  page.on('request', (request) => origins.add(new URL(request.url()).origin));
  await injectEvmWallet(page, await newEvmPayer());
  await open(page, airports);
  await ask(page);
  await page.getByRole('button', { name: 'Pay 0.001 USDC on Base' }).click();
  await confirm(page).click();
  await expect(paid(page)).toContainText('"airports"', { timeout: 30_000 });
  expect(wrong).toEqual([]);
  expect([...origins]).toEqual([stack().apiUrl]);
});

test('only the price of the operation is made into a Solana transaction', async () => {
  const { address } = await newSolanaPayer();
  for (const input of [
    { operation: 'airports.search', amount: '0.002' },
    { operation: 'billing.deposit', amount: '501' },
    { operation: 'tools.prices', amount: '0' },
    { operation: 'airports.search', amount: '-0.001' },
    { operation: 'airports.search', amount: '0.001', more: 1 },
  ]) {
    const response = await fetch(`${stack().apiUrl}/try/solana`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ ...input, payer: address }),
    });
    expect([input, response.status]).toEqual([input, 400]);
  }
});
