import { expect, type Page, test } from '@playwright/test';
import pg from 'pg';
import { operatorToken } from '../support/console';
import { type ConsoleLedger, consolePages, fillConsoleLedger } from '../support/console-ledger';
import { signInByHand, takePicture } from '../support/console-page';
import { layoutShiftsOf, watchLayoutShifts } from '../support/layout-shifts';
import { addCall, addSettlement } from '../support/ledger-rows';
import { migratedDatabase } from '../support/new-database';
import { startServer, type TestServer } from '../support/server';
import { stack } from '../support/stack';
import { fullOnly } from '../support/tiers';
import { expectAccessible, withAxe } from './accessible';

/** The pages of the console, over a ledger with calls in every state. */

let server: TestServer;
let ledger: pg.Pool;
let drop: () => Promise<void>;
let ids: ConsoleLedger;

test.beforeAll(async () => {
  const database = await migratedDatabase();
  ledger = new pg.Pool({ connectionString: database.url, max: 1 });
  drop = database.drop;
  ids = await fillConsoleLedger(ledger);
  server = await startServer({
    ...stack().serverEnv,
    DATABASE_URL: database.url,
    TRUSTED_PROXIES: '1',
    COIN_PRICES: 'eth=2500',
  });
});

test.afterAll(async () => {
  await server.stop();
  await ledger.end();
  await drop();
});

async function expectFits(page: Page): Promise<void> {
  const overflow = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect(overflow, page.url()).toBe(0);
}

for (const [what, options] of [
  ['desktop, light', { colorScheme: 'light', viewport: { width: 1280, height: 900 } }],
  ['desktop, dark', { colorScheme: 'dark', viewport: { width: 1280, height: 900 } }],
  ['390 pixels, light', { colorScheme: 'light', viewport: { width: 390, height: 844 } }],
  ['320 pixels, light', { colorScheme: 'light', viewport: { width: 320, height: 700 } }],
  ['390 pixels, dark', { colorScheme: 'dark', viewport: { width: 390, height: 844 } }],
] as const) {
  test.describe(what, () => {
    // Everything works without scripts.
    test.use({ ...options });

    test(`every page is accessible, fits and stays where it is: ${what}`, fullOnly, async ({ page }) => {
      const picture = (name: string) => takePicture(page, `${name}-${what.replaceAll(/\W+/g, '-')}`);
      await withAxe(page);
      await watchLayoutShifts(page);
      await page.goto(`${server.apiUrl}/operator`);
      await expectAccessible(page);
      await picture('sign-in');
      await signInByHand(page, server.apiUrl);
      for (const [name, path] of consolePages(ids)) {
        const answer = await page.goto(server.apiUrl + path);
        expect([path, answer?.status()], server.output().slice(-2_000)).toEqual([
          path,
          name === 'call-not-found' ? 404 : 200,
        ]);
        await expectAccessible(page);
        await expectFits(page);
        expect(await layoutShiftsOf(page), path).toEqual([]);
        await picture(name);
      }
    });
  });
}

test('gas is also in US dollars where the operator has set the price of its coin', async ({ page }) => {
  await signInByHand(page, server.apiUrl);
  const gas = page.getByRole('region', { name: 'Gas vs. revenue' });
  await expect(gas.getByRole('row', { name: 'Base' })).toContainText(/0\.000\d+ ETH≈ \$0\.\d+/);
  const polygon = gas.getByRole('row', { name: 'Polygon' });
  await expect(polygon).toContainText('POL');
  await expect(polygon).not.toContainText('$');
});

test.describe('by keyboard, without a script, on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, javaScriptEnabled: false });

  test('an operator signs in, finds a call, adds a note and signs out', fullOnly, async ({ page }) => {
    await page.goto(`${server.apiUrl}/operator`);
    await page.keyboard.press('Tab');
    await expect(page.getByRole('link', { name: 'Skip to content' })).toBeFocused();
    const tabTo = async (target: ReturnType<Page['getByRole']>) => {
      for (let step = 0; step < 60; step += 1) {
        if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return;
        await page.keyboard.press('Tab');
      }
      throw new Error('the keyboard does not reach it');
    };
    await tabTo(page.getByLabel('Operator token'));
    await page.keyboard.type(operatorToken());
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Overview');
    await tabTo(page.getByRole('link', { name: 'Calls', exact: true }));
    await page.keyboard.press('Enter');
    await tabTo(page.getByLabel('Call, payer or transaction'));
    await page.keyboard.type(ids.needsAttention);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('0.005 USDC for uploads.renew');
    await tabTo(page.getByLabel('Note'));
    await page.keyboard.type('Its owner was asked.');
    await tabTo(page.getByRole('button', { name: 'Add the note' }));
    await page.keyboard.press('Enter');
    await expect(page.getByText('Its owner was asked.')).toBeVisible();
    await tabTo(page.getByRole('button', { name: 'Sign out' }));
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sign in');
  });
});

test(
  'filters are in the address and in chips, the search keeps what was entered, and nothing moves',
  fullOnly,
  async ({ page }) => {
    await signInByHand(page, server.apiUrl);
    await page.goto(`${server.apiUrl}/operator/calls`);
    const search = page.getByLabel('Call, payer or transaction');
    const places = async () => [
      await page.getByRole('table').boundingBox(),
      await page.getByLabel('Before (UTC)').boundingBox(),
    ];
    const before = (await places()).map((box) => [box?.x, box?.y]);
    await page.getByLabel('State').selectOption('kept');
    await page.getByRole('button', { name: 'Filter' }).click();
    await expect(page).toHaveURL(/state=kept/);
    await expect(page.getByRole('row')).toHaveCount(2);
    const payer = `0x${'1'.repeat(40)}`;
    await search.fill(payer);
    await page.getByRole('button', { name: 'Filter' }).click();
    await expect(page).toHaveURL(/payer=0x.*state=kept|state=kept.*payer=0x/);
    await expect(search).toHaveValue(payer);
    await page.getByRole('link', { name: 'Remove filter State: kept' }).click();
    expect((await places()).map((box) => [box?.x, box?.y])).toEqual(before);
    const other = `0x${'3c'.repeat(32)}`;
    await search.fill(other);
    await page.getByRole('button', { name: 'Filter' }).click();
    await expect(page).toHaveURL(`${server.apiUrl}/operator/calls?transaction=${other}`);
    await page.getByRole('link', { name: /^Remove filter Transaction/ }).click();
    await expect(page).toHaveURL(`${server.apiUrl}/operator/calls`);
  },
);

test('a wrong filter is explained at its field', fullOnly, async ({ page }) => {
  await signInByHand(page, server.apiUrl);
  await page.goto(`${server.apiUrl}/operator/calls?search=nonsense`);
  await expect(page.getByRole('alert')).toContainText('Enter the ID of a call, a payer or a transaction');
  await expect(page).toHaveTitle(/^Error: Calls/);
  await page.getByRole('alert').getByRole('link').click();
  const search = page.getByLabel('Call, payer or transaction');
  await expect(search).toBeFocused();
  await expect(search).toHaveValue('nonsense');
  await expect(search).toHaveAttribute('aria-invalid', 'true');
  await page.goto(`${server.apiUrl}/operator/calls?from=yesterday&state=lost`);
  const messages = ['Choose a state from the list', 'Enter a date such as 2026-11-22'];
  for (const message of messages) await expect(page.getByRole('alert')).toContainText(message);
  const state = page.getByLabel('State', { exact: true });
  await expect(state).toHaveAccessibleDescription(`Error: ${messages[0]}`);
  const inputs = [search, state, page.getByRole('button', { name: 'Filter' })];
  const boxes = await Promise.all(inputs.map((input) => input.boundingBox()));
  expect(new Set(boxes.map((box) => Math.round(box?.y ?? 0))).size).toBe(1);
});

test(
  'the figures of today stand beside each other in tiles of one line and one width',
  fullOnly,
  async ({ page }) => {
    await page.setViewportSize({ width: 1280, height: 900 });
    await signInByHand(page, server.apiUrl);
    const list = page.getByRole('list').filter({ hasText: 'Paid calls' });
    const boxes = await Promise.all(
      (await list.getByRole('listitem').all()).map((tile) => tile.boundingBox()),
    );
    expect(boxes).toHaveLength(5);
    expect(new Set(boxes.map((box) => Math.round(box?.width ?? 0))).size).toBe(1);
    expect(new Set(boxes.map((box) => box?.y)).size).toBe(1);
    const value = list.getByText(/^[\d.,]+ USDC$/).first();
    await expect(list).toHaveCSS('background-color', 'rgba(0, 0, 0, 0)');
    const lines = await value.evaluate((element) => element.getClientRects().length);
    expect(lines).toBe(1);
    expect((await value.boundingBox())?.height).toBeLessThan(48);
  },
);

test('only the current section is underlined in forced colors', fullOnly, async ({ page }) => {
  await page.emulateMedia({ forcedColors: 'active' });
  await signInByHand(page, server.apiUrl);
  const lineOf = (name: string) =>
    page
      .getByRole('navigation')
      .getByRole('link', { name, exact: true })
      .evaluate((element) => getComputedStyle(element).borderBlockEndColor);
  const ground = await page.evaluate('getComputedStyle(document.body).backgroundColor');
  expect(await lineOf('Calls')).toBe(ground);
  expect(await lineOf('Overview')).not.toBe(ground);
});

test(
  'a call is listed by amount, with a short ID to copy and how long ago it was',
  fullOnly,
  async ({ page, context }) => {
    await context.grantPermissions(['clipboard-read', 'clipboard-write']);
    await signInByHand(page, server.apiUrl);
    await page.goto(`${server.apiUrl}/operator/calls?state=needs_attention&operation=uploads.renew`);
    const row = page.getByRole('row').nth(1);
    await expect(row.getByRole('rowheader')).toHaveText('0.005');
    await expect(row.getByRole('rowheader')).toHaveCSS('text-align', 'end');
    await expect(row.locator(`[href="/operator/calls/${ids.needsAttention}"]`)).toHaveCount(1);
    await expect(row.getByRole('time')).toHaveText('3 hours ago');
    await expect(row.getByRole('time')).toHaveAttribute('title', / UTC$/);
    await row.getByRole('button', { name: 'Copy call ID' }).click();
    await expect(page.locator('[aria-live]')).toHaveText('Copied.');
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(ids.needsAttention);
    await row.getByRole('rowheader').click();
    await expect(page).toHaveURL(`${server.apiUrl}/operator/calls/${ids.needsAttention}`);
  },
);

test('in a narrow window, no ID and no time in a table breaks, and lists of calls and wallets are not cut off', async ({
  page,
}) => {
  await signInByHand(page, server.apiUrl);
  await page.setViewportSize({ width: 768, height: 900 });
  for (const path of ['/calls', `/calls/${ids.needsAttention}`, '/wallets', '/channels', '/system']) {
    await page.goto(`${server.apiUrl}/operator${path}`);
    const broken = await page
      .locator(':is(th, td) :is(.id, time)')
      .evaluateAll((all) => all.filter((one) => one.getClientRects().length > 1).length);
    expect(broken, path).toBe(0);
  }
  for (const path of ['/calls', '/wallets']) {
    await page.goto(`${server.apiUrl}/operator${path}`);
    const cut = await page
      .locator('main .scroll')
      .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).length);
    expect(cut, path).toBe(0);
  }
});

test('the amounts of a column have the same number of decimals, and its head names the unit', async ({
  page,
}) => {
  await signInByHand(page, server.apiUrl);
  await page.goto(`${server.apiUrl}/operator/calls`);
  await expect(page.getByRole('columnheader', { name: 'Amount (USDC)' })).toBeVisible();
  const amounts = await page.getByRole('rowheader').allTextContents();
  expect(amounts.length).toBeGreaterThan(20);
  expect(amounts.filter((amount) => !/^\d\.\d{3}$/.test(amount))).toEqual([]);
});

test('the page of a call says why it is in its state, what its caller got, and how long each step took', async ({
  page,
}) => {
  await signInByHand(page, server.apiUrl);
  await page.goto(`${server.apiUrl}/operator/calls/${ids.needsAttention}`);
  const fact = (name: string) => page.locator(`dt:text-is("${name}") + dd`);
  await expect(fact('Reason')).toHaveText(
    'The upload to renew was gone when its payment arrived. Refund it.',
  );
  await expect(fact('Caller got')).toContainText('Retries get 503');
  // What is needed looks like it, and a note does not.
  await expect(page.getByRole('link', { name: 'Refund', exact: true })).not.toHaveClass(/secondary/);
  await expect(page.getByRole('button', { name: 'Add the note' })).toHaveClass('secondary');
  await expect(fact('Started')).toContainText(' UTC');
  await expect(page.getByRole('listitem').filter({ hasText: 'needs attention' })).toContainText('+1.0 s');
  const states = page
    .getByRole('listitem')
    .filter({ has: page.getByRole('time') })
    .locator('div');
  const starts = await Promise.all((await states.all()).map((state) => state.boundingBox()));
  expect(starts.length).toBeGreaterThan(1);
  expect(new Set(starts.map((box) => box?.x)).size).toBe(1);
  await page.goto(`${server.apiUrl}/operator/calls?state=kept`);
  await page.getByRole('row').nth(1).getByRole('link', { name: /^pc_/ }).click();
  await expect(fact('Reason')).toContainText('The provider failed after the payment.');
  await expect(fact('Caller got')).toContainText('the payment is kept');
});

test(
  'the page of a call says that its payment is not final yet, and offers a refund once it is',
  fullOnly,
  async ({ page }) => {
    await signInByHand(page, server.apiUrl);
    // The server has no node of this network, so it does not look for the transaction.
    const payment = { network: 'base-sepolia', hash: `0x${'4d'.repeat(32)}`, at: new Date(), feeAtomic: 1n };
    const settlementId = await addSettlement(ledger, payment);
    const id = await addCall(ledger, {
      network: 'base-sepolia',
      settlementId,
      transactionHash: payment.hash,
    });
    const refund = page.getByRole('link', { name: 'Refund', exact: true });
    await page.goto(`${server.apiUrl}/operator/calls/${id}`);
    await expect(page.getByText('No refund yet: the payment is not final.')).toBeVisible();
    await expect(refund).toBeHidden();
    await ledger.query('UPDATE settlement_transaction SET final_at = now() WHERE id = $1', [settlementId]);
    await page.reload();
    await expect(refund).toBeVisible();
  },
);

test(
  'a refund shows the fields of the chosen method, and says at each field what is missing',
  fullOnly,
  async ({ page }) => {
    await signInByHand(page, server.apiUrl);
    await page.goto(`${server.apiUrl}/operator/calls/${ids.delivered}/refund`);
    const [hash, account] = [
      page.getByLabel('Transaction hash', { exact: true }),
      page.getByLabel('Account ID'),
    ];
    await expect(hash).toBeHidden();
    await page.getByLabel('I have sent it').check();
    await expect(hash).toBeVisible();
    await page.getByLabel('Into a prepaid account').check();
    await expect(hash).toBeHidden();
    await expect(account).toBeVisible();
    await page.getByRole('button', { name: 'Review refund' }).click();
    await expect(page).toHaveTitle(/^Error: Refund/);
    await expect(page.getByLabel('Note (optional)')).toBeVisible();
    await expect(page.getByRole('link', { name: 'Cancel', exact: true })).toHaveAttribute(
      'href',
      `/operator/calls/${ids.delivered}`,
    );
    const problems = page.getByRole('alert');
    await expect(problems.getByRole('link')).toHaveText([
      'Enter the ID of the prepaid account.',
      'Choose a reason.',
    ]);
    await problems.getByRole('link').first().click();
    await expect(account).toBeFocused();
    await expect(account).toHaveAccessibleDescription('Error: Enter the ID of the prepaid account.');
    await account.fill('acct_000000000000000000000000');
    await page.getByLabel('Duplicate').check();
    await page.getByRole('button', { name: 'Review refund' }).click();
    await expect(account).toHaveAccessibleDescription('Error: There is no open account with this id.');
  },
);

test(
  'every page says which service it is and marks its section, and one without a page is explained',
  fullOnly,
  async ({ page }) => {
    await signInByHand(page, server.apiUrl);
    for (const [path, section] of [
      [`/operator/forms/${ids.form}`, 'Reports'],
      ['/operator/transfers', 'Worklist'],
      [`/operator/calls/${ids.delivered}`, 'Calls'],
    ]) {
      await page.goto(server.apiUrl + path);
      await expect(page.getByRole('navigation').locator('[aria-current]')).toHaveText([section ?? '']);
      await expect(page.getByRole('banner')).toContainText(new URL(server.apiUrl).host);
      await expect(page.getByRole('banner')).toContainText('Local');
    }
    const missing = await page.goto(`${server.apiUrl}/operator/nothing`);
    expect(missing?.status()).toBe(404);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Page not found');
    await expect(page.getByRole('navigation')).toContainText('Worklist');
  },
);
