import { expect, type Page, test } from '@playwright/test';
import pg from 'pg';
import { operatorToken } from '../support/console';
import { type ConsoleLedger, consolePages, fillConsoleLedger, ledgerPayer } from '../support/console-ledger';
import { signInByHand, takePicture } from '../support/console-page';
import { layoutShiftsOf, watchLayoutShifts } from '../support/layout-shifts';
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
  server = await startServer({ ...stack().serverEnv, DATABASE_URL: database.url, TRUSTED_PROXIES: '1' });
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

test.describe('by keyboard, without a script, on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, javaScriptEnabled: false });

  test('an operator signs in, finds a call, adds a note and signs out', async ({ page }) => {
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

test('filters are in the address, and a wrong one is explained', async ({ page }) => {
  await signInByHand(page, server.apiUrl);
  await page.goto(`${server.apiUrl}/operator/calls`);
  await page.getByLabel('State').selectOption('kept');
  await page.getByRole('button', { name: 'Filter' }).click();
  await expect(page).toHaveURL(/state=kept/);
  await expect(page.getByRole('row')).toHaveCount(2);
  await page.getByLabel('Call, payer or transaction').fill(ledgerPayer.toLowerCase());
  await page.getByRole('button', { name: 'Filter' }).click();
  await expect(page).toHaveURL(/payer=0x/);
  await page.goto(`${server.apiUrl}/operator/calls?search=nonsense`);
  await expect(page.getByRole('alert')).toContainText('nonsense');
  await page.goto(`${server.apiUrl}/operator/calls?from=yesterday`);
  await expect(page.getByRole('alert')).toContainText('must be a date');
});
