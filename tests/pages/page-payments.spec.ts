import { expect, type Page, test } from '@playwright/test';
import { balanceIn, openAccount } from '../support/accounts';
import { balanceOf } from '../support/balances';
import { type EvmWallet, injectEvmWallet } from '../support/browser-wallets';
import { newEvmPayer } from '../support/payers';
import { stack } from '../support/stack';
import { fullOnly } from '../support/tiers';
import { expectAccessible } from './accessible';
import { payButton, payIn, problem, receipt } from './deposit-page';

/** Payments that pages sign: one at a time across all tabs, and none is abandoned while its outcome is unknown. */

const reference = () => `${stack().apiUrl}/docs/reference/airports/airports.search`;
const paid = (page: Page) => page.getByRole('region', { name: 'Response to the paid call' });
const signatures = ({ asked }: EvmWallet) =>
  asked.filter((method) => method === 'eth_signTypedData_v4').length;

async function tryAndPay(page: Page): Promise<void> {
  await page.goto(`${reference()}#try`);
  await page.getByRole('button', { name: 'Send without a payment' }).click();
  await page.getByRole('button', { name: 'Pay 0.001 USDC on Base' }).click();
  await page.getByRole('dialog', { name: 'Pay for this call?' }).getByRole('button', { name: 'Pay' }).click();
}

/** Answers paid calls in place of the service. */
async function answerPaidCalls(page: Page, status: number, body: string | object): Promise<() => void> {
  let isOver = false;
  await page.route('**/v1/airports/search', async (route) => {
    if (isOver || route.request().headers()['payment-signature'] === undefined) return route.fallback();
    if (typeof body === 'string') return route.fulfill({ status, contentType: 'text/html', body });
    return route.fulfill({ status, json: body });
  });
  return () => {
    isOver = true;
  };
}

test(
  '“Try it” finishes an open payment in another tab, after the first is closed, with one signature',
  fullOnly,
  async ({ page, context }) => {
    const payer = await newEvmPayer();
    const wallet = await injectEvmWallet(page, payer);
    await answerPaidCalls(page, 502, '<p>Bad gateway</p>');
    await tryAndPay(page);
    await expect(page.getByRole('status').filter({ hasText: 'You will not pay twice' })).toBeVisible();
    const other = await context.newPage();
    await page.close();
    await other.goto(reference());
    await expect(paid(other)).toContainText('0.001 USDC on Base', { timeout: 30_000 });
    expect(signatures(wallet)).toBe(1);
    expect(await balanceOf(payer, 'base')).toBe(9_999_000n);
  },
);

test('“Try it” keeps a payment that something else answered, and sends it again instead of signing anew', async ({
  page,
}) => {
  const payer = await newEvmPayer();
  const wallet = await injectEvmWallet(page, payer);
  const open = await answerPaidCalls(page, 403, '<p>Blocked by a proxy</p>');
  await tryAndPay(page);
  await expect(problem(page)).toContainText('The outcome of the payment is not known yet');
  open();
  await page.getByRole('button', { name: 'Pay 0.001 USDC on Base' }).click();
  await page.getByRole('dialog', { name: 'Pay for this call?' }).getByRole('button', { name: 'Pay' }).click();
  await expect(paid(page)).toContainText('0.001 USDC on Base', { timeout: 30_000 });
  expect(signatures(wallet)).toBe(1);
  expect(await balanceOf(payer, 'base')).toBe(9_999_000n);
});

for (const [what, error, title, advice] of [
  [
    'unknown for good',
    { payment: 'unknown', retry: 'stop' },
    'It is not known whether this was paid',
    'Check your wallet before you pay again. If the money has left it, contact the operator of this service.',
  ],
  [
    'kept without a delivery',
    { payment: 'kept', retry: 'stop', paidCallId: 'pc_1' },
    'Paid, but not delivered',
    'As it is. Keep this ID: pc_1.',
  ],
  ['refunded', { payment: 'refunded', retry: 'stop' }, 'Paid, and refunded', 'As it is.'],
] as const) {
  test(`“Try it” does not say that nothing was paid when the payment is ${what}`, async ({ page }) => {
    await injectEvmWallet(page, await newEvmPayer());
    await answerPaidCalls(page, 409, { error: { code: 'x', message: 'As it is.', ...error } });
    await tryAndPay(page);
    await expect(problem(page)).toContainText(title);
    await expect(problem(page)).toContainText(advice);
    // The outcome is decided, so the page does not resume the payment.
    await page.goto(reference());
    await expect(page.getByRole('button', { name: 'Send without a payment' })).toBeHidden();
  });
}

test('two tabs that pay at once sign one payment', fullOnly, async ({ page, context }) => {
  const [account, payer] = [await openAccount(), await newEvmPayer()];
  let sign = () => {};
  const signed = new Promise<void>((resolve) => {
    sign = resolve;
  });
  const wallet = await injectEvmWallet(page, payer, { asking: () => signed });
  await page.goto(account.depositUrl);
  await payIn(page, '2', 'Base');
  await expect(page.getByRole('status')).toContainText('Confirm the payment of 2 USDC');
  await expect(payButton(page)).toHaveAttribute('aria-disabled', 'true');
  await expectAccessible(page);
  const other = await context.newPage();
  const second = await injectEvmWallet(other, payer);
  await other.goto(account.depositUrl);
  await payIn(other, '2', 'Base');
  await expect(other.getByRole('status')).toContainText('being signed in another tab');
  sign();
  await expect(receipt(page)).toContainText('2 USDC', { timeout: 30_000 });
  await expect(receipt(other)).toContainText('2 USDC', { timeout: 30_000 });
  expect(signatures(wallet) + signatures(second)).toBe(1);
  expect(await balanceOf(payer, 'base')).toBe(8_000_000n);
  expect(await balanceIn(account)).toBe('2');
});

/** What an overloaded service answers, with a wait short enough for a test. */
const busy = {
  status: 503,
  headers: { 'retry-after': '0.05' },
  json: { error: { code: 'x', message: 'Try again later.', payment: 'none', retry: 'later' } },
};

test('a service that says each time that it took nothing gets the same payment a few times', async ({
  page,
}) => {
  const wallet = await injectEvmWallet(page, await newEvmPayer());
  const sent: (string | undefined)[] = [];
  await page.route('**/v1/airports/search', async (route) => {
    const payment = route.request().headers()['payment-signature'];
    if (payment === undefined) return route.fallback();
    sent.push(payment);
    return route.fulfill(busy);
  });
  await tryAndPay(page);
  await expect(problem(page)).toContainText('Nothing was paid');
  await expect(problem(page)).toContainText('Try again later.');
  expect([sent.length, new Set(sent).size, signatures(wallet)]).toEqual([4, 1, 1]);
});

test('after a lost answer no such word ends a payment: what it says is about a later request', async ({
  page,
}) => {
  const payer = await newEvmPayer();
  const wallet = await injectEvmWallet(page, payer);
  let sent = 0;
  await page.route('**/v1/airports/search', async (route) => {
    if (route.request().headers()['payment-signature'] === undefined) return route.fallback();
    sent += 1;
    if (sent > 8) return route.fallback();
    if (sent > 1) return route.fulfill(busy);
    await route.fetch();
    return route.fulfill({ ...busy, json: {} });
  });
  await tryAndPay(page);
  await expect(paid(page)).toContainText('0.001 USDC on Base', { timeout: 30_000 });
  expect([sent, signatures(wallet)]).toEqual([9, 1]);
  expect(await balanceOf(payer, 'base')).toBe(9_999_000n);
});

test('a price that is not the confirmed one is not signed', async ({ page }) => {
  const wallet = await injectEvmWallet(page, await newEvmPayer());
  await page.goto(`${reference()}#try`);
  await page.getByRole('button', { name: 'Send without a payment' }).click();
  await page.route('**/v1/airports/search', async (route) => {
    const response = await route.fetch();
    const body = (await response.json()) as { accepts: { amount: string }[] };
    const accepts = body.accepts.map((accepted) => ({ ...accepted, amount: '9000000' }));
    await route.fulfill({ response, json: { ...body, accepts } });
  });
  await page.getByRole('button', { name: 'Pay 0.001 USDC on Base' }).click();
  await page.getByRole('dialog', { name: 'Pay for this call?' }).getByRole('button', { name: 'Pay' }).click();
  await expect(problem(page)).toContainText('The price is now 9 USDC instead of 0.001 USDC');
  expect(wallet.asked).toEqual([]);
});
