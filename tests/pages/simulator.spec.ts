import { expect, type Page, test } from '@playwright/test';
import { stack } from '../support/stack';
import { expectAccessible, withAxe } from './accessible';

/** /simulator: what runs in it has its own tests (tests/simulation/simulator.spec.ts). */

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click();
const panel = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const status = (page: Page) => page.getByRole('status');
const verdict = 'Paid once, delivered once.';
/** What is loaded when somebody is about to use it. */
const simulator = /\/site\/assets\/main-\w+\.js$/;

/** Opens the page, and collects what is requested from then on. */
async function open(
  page: Page,
): Promise<{ readonly requested: readonly string[]; readonly problems: readonly string[] }> {
  const requested: string[] = [];
  const problems: string[] = [];
  page.on('pageerror', ({ message }) => problems.push(message));
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  await page.goto(`${stack().apiUrl}/simulator`);
  await expect(page.getByRole('button', { name: 'Buy a call' })).toBeEnabled();
  page.on('request', (request) => requested.push(request.url()));
  return { requested, problems };
}

/** Steps until the page says this. A step has to end before the next one: after the last one the button is disabled. */
async function stepTo(page: Page, words: string | RegExp): Promise<void> {
  const said = page.getByRole('main').filter({ hasText: words });
  while ((await said.count()) === 0) {
    await press(page, 'Step');
    await expect(page.locator('[aria-busy]')).toHaveCount(0);
  }
}

test('a call that is bought and run to its end is paid once and delivered once, and only the simulator is requested', async ({
  page,
}) => {
  const { requested, problems } = await open(page);
  await expect(panel(page, 'Chain')).toContainText('1.00 USDC');
  await press(page, 'Buy a call');
  await press(page, 'Run to the end');
  await expect(status(page)).toContainText(verdict);
  await expect(panel(page, 'Client')).toContainText('200 the result');
  await expect(panel(page, 'Chain')).toContainText('0.99 USDC');
  await expect(panel(page, 'Server').locator('[aria-current=step]')).toHaveText('delivered');
  const moves = page.getByRole('figure').filter({ hasText: 'The states of a call' });
  await expect(moves.locator('.current')).toHaveText('delivered');
  await expect(moves.locator('.made')).toHaveCount(4);
  await expect(moves.locator('[data-move="settled delivered"]')).toHaveClass(/made/);
  await press(page, 'Start again');
  await expect(panel(page, 'Chain')).toContainText('1.00 USDC');
  expect([requested, problems]).toEqual([[expect.stringMatching(simulator)], []]);
});

test('a server that is killed after the broadcast is replaced, and the call is paid once and delivered once', async ({
  page,
}) => {
  await open(page);
  await press(page, 'Buy a call');
  await stepTo(page, 'Broadcasts the transaction');
  await press(page, 'Kill the server');
  await expect(panel(page, 'Server')).toContainText('The process is down.');
  await expect(panel(page, 'Client')).toContainText('connection lost');
  await stepTo(page, /Block \d+ has transaction/);
  await press(page, 'Kill the server');
  await expect(panel(page, 'Server')).toContainText('The process is up.');
  await stepTo(page, verdict);
  await expect(panel(page, 'Client')).toContainText('200 the stored result');
});

test('a broadcast whose response is lost is found in its block, and the call is paid once', async ({
  page,
}) => {
  await open(page);
  await press(page, 'Buy a call');
  await press(page, 'Lose broadcast responses');
  await stepTo(page, 'its answer is lost');
  await stepTo(page, verdict);
  await expect(panel(page, 'Chain')).toContainText('0.99 USDC');
});

test('a reorganization takes the payment away, and the call is paid again by the same payment', async ({
  page,
}) => {
  await open(page);
  await press(page, 'Buy a call');
  await stepTo(page, 'is delivered');
  await press(page, 'Reorganize the chain');
  await expect(panel(page, 'Chain')).toContainText('1.00 USDC');
  await expect(panel(page, 'Chain')).toContainText('replaced');
  await stepTo(page, 'is unknown');
  await expect(panel(page, 'Server')).toContainText('delivered reversed: 0.01 USDC');
  await press(page, 'Run to the end');
  await expect(status(page)).toContainText(verdict);
  await expect(panel(page, 'Chain')).toContainText('0.99 USDC');
});

test('the simulator is used with the keyboard alone, and never loses the focus', async ({ page }) => {
  await open(page);
  const buy = page.getByRole('button', { name: 'Buy a call' });
  await buy.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('button', { name: 'Step' })).toBeFocused();
  await page.keyboard.press('Space');
  await expect(status(page)).toContainText('Simulates the payment');
  for (let tab = 0; tab < 3; tab += 1) await page.keyboard.press('Tab');
  const kill = page.getByRole('button', { name: 'Kill the server' });
  await expect(kill).toBeFocused();
  await page.keyboard.press('Space');
  await expect(kill).toHaveAttribute('aria-pressed', 'true');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Enter');
  await expect(status(page)).toContainText(verdict);
  await expect(page.getByRole('button', { name: 'Start again' })).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(buy).toBeFocused();
});

for (const colorScheme of ['light', 'dark'] as const)
  test(`the simulator is accessible before, during and after a call, ${colorScheme}, and fits a phone`, async ({
    page,
  }) => {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width: 390, height: 844 });
    await withAxe(page);
    await open(page);
    await expectAccessible(page);
    await press(page, 'Buy a call');
    await press(page, 'Kill the server');
    await expectAccessible(page);
    await press(page, 'Run to the end');
    await expect(status(page)).toContainText(verdict);
    await expectAccessible(page);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
  });

test('a reader without JavaScript is told what the simulator is, and sees no controls', async ({
  browser,
}) => {
  const page = await browser.newPage({ javaScriptEnabled: false });
  await page.goto(`${stack().apiUrl}/simulator`);
  // The runner does not match texts in this element.
  await expect(page.locator('noscript p')).toBeVisible();
  await expect(page.getByRole('button')).toHaveCount(0);
  await page.close();
});

test('the simulator, which is smaller than 400 KB, is loaded when somebody is about to buy a call, and not before', async ({
  page,
}) => {
  const { requested } = await open(page);
  await page.waitForLoadState('networkidle');
  expect(requested).toEqual([]);
  const loaded = page.waitForResponse(simulator);
  await page.getByRole('button', { name: 'Buy a call' }).hover();
  const { 'content-encoding': encoding, 'content-length': length } = (await loaded).headers();
  expect(encoding).toBe('br');
  expect(Number(length)).toBeLessThan(400_000);
});

test('a visitor whose simulator cannot be loaded is told to reload the page', async ({ page }) => {
  await open(page);
  await page.route(simulator, (route) => route.abort());
  await press(page, 'Buy a call');
  await expect(status(page)).toContainText('The simulator could not be loaded. Reload the page.');
});
