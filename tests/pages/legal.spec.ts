import { expect, test } from '@playwright/test';
import { openAccount } from '../support/accounts';
import { injectEvmWallet } from '../support/browser-wallets';
import { buyForm } from '../support/forms';
import { newEvmPayer } from '../support/payers';
import { startServer, type TestServer } from '../support/server';
import { stack } from '../support/stack';
import { expectAccessible, withAxe } from './accessible';

/** The pages about terms, privacy, contact and abuse, with and without a named operator. */

const paths = ['/terms', '/privacy', '/contact', '/abuse'];

/** Characters with a meaning in HTML, Markdown or URLs. */
const operator = {
  OPERATOR_NAME: '<img src=x onerror=alert(1)> & *Sons* [Ltd](https://evil.example) | `x`',
  OPERATOR_EMAIL: "o'neil+help_desk@example.com",
  OPERATOR_ABUSE_EMAIL: 'abuse@example.com',
  OPERATOR_ADDRESS: '1 "Main" Street | #5 <b>, Dublin',
  OPERATOR_LAW: 'Ireland',
  OPERATOR_TERMS_DATE: '2026-11-23',
};

let named: TestServer;
test.beforeAll(async () => {
  named = await startServer({ ...stack().serverEnv, ...operator });
});
test.afterAll(() => named.stop());

for (const [what, options] of [
  ['light', { colorScheme: 'light' }],
  ['dark', { colorScheme: 'dark' }],
  ['320 pixels wide', { viewport: { width: 320, height: 640 } }],
] as const) {
  test.describe(what, () => {
    test.use({ ...options, javaScriptEnabled: true });
    test(`they are accessible and fit: ${what}`, async ({ page }) => {
      await withAxe(page);
      for (const pathname of paths.flatMap((path) => [stack().apiUrl + path, named.apiUrl + path])) {
        await page.goto(pathname);
        await expectAccessible(page);
        const overflow = await page.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        );
        expect(overflow, pathname).toBe(0);
      }
    });
  });
}

test('settings are shown as they are, and are no markup', async ({ page }) => {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => problems.push(message.text()));
  for (const path of paths) {
    await page.goto(named.apiUrl + path);
    const main = page.getByRole('main');
    await expect(main.locator('img, b, a[href*="evil"]')).toHaveCount(0);
    if (path !== '/abuse') await expect(main).toContainText(operator.OPERATOR_NAME);
  }
  await page.goto(`${named.apiUrl}/contact`);
  await expect(page.getByRole('listitem').filter({ hasText: operator.OPERATOR_ADDRESS })).toBeVisible();
  await expect(page.getByRole('link', { name: operator.OPERATOR_EMAIL }).first()).toHaveAttribute(
    'href',
    "mailto:o'neil%2Bhelp_desk@example.com",
  );
  expect(problems).toEqual([]);
});

test('the terms name the operator, the law and the date', async ({ page }) => {
  await page.goto(`${named.apiUrl}/terms`);
  const main = page.getByRole('main');
  await expect(main).toContainText('They apply from November 23, 2026.');
  await expect(main).toContainText('The law of Ireland governs these terms.');
  await expect(main).not.toContainText('Nobody is named');
});

test('without settings the pages say that nobody is named, and invent nothing', async ({ page }) => {
  for (const path of ['/terms', '/privacy', '/contact']) {
    await page.goto(stack().apiUrl + path);
    await expect(page.getByRole('main')).toContainText('Nobody is named as the operator of this service');
  }
  await expect(page.getByRole('listitem').filter({ hasText: 'Email' })).toContainText('not published');
  await page.goto(`${stack().apiUrl}/terms`);
  await expect(page.getByRole('heading', { name: 'Liability and law' })).toHaveCount(0);
  await page.goto(`${stack().apiUrl}/abuse`);
  await expect(page.locator('main a[href^="mailto:"]')).toHaveCount(0);
  expect((await fetch(`${stack().apiUrl}/.well-known/security.txt`)).status).toBe(404);
});

test('each page has a Markdown version in which settings are no markup', async () => {
  for (const path of paths) {
    const twin = await fetch(`${named.apiUrl}${path}.md`);
    expect(twin.headers.get('content-type')).toBe('text/markdown; charset=utf-8');
    const text = await twin.text();
    expect(text).toMatch(/^# /);
    expect(text).not.toMatch(/(?<!\\)(?:<img|\]\(https:\/\/evil)/);
  }
});

test('security.txt has what RFC 9116 demands, and expires within a year', async () => {
  const answer = await fetch(`${named.apiUrl}/.well-known/security.txt`);
  expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  const text = await answer.text();
  expect(text).toContain("Contact: mailto:o'neil%2Bhelp_desk@example.com\n");
  const expires = Date.parse(/^Expires: (\S+)$/m.exec(text)?.[1] ?? '');
  expect(expires).toBeGreaterThan(Date.now() + 300 * 86_400_000);
  expect(expires).toBeLessThan(Date.now() + 365 * 86_400_000);
});

test('the deposit page says whose terms a payment falls under', async ({ page }) => {
  const { accountId } = await openAccount();
  // Without a wallet, nothing can be paid there.
  await injectEvmWallet(page, await newEvmPayer());
  for (const [server, words] of [
    [named.apiUrl, `By paying, you agree to the terms of ${operator.OPERATOR_NAME}.`],
    [stack().apiUrl, 'Nobody is named as the operator of this service.'],
  ] as const) {
    await page.goto(`${server}/deposit/${accountId}`);
    const line = page.locator('.terms', { hasText: words });
    await expect(line).toBeVisible();
    await expect(line.getByRole('link')).toHaveAttribute('href', '/terms');
  }
});

test('every footer leads to terms, privacy and contact', async ({ page }) => {
  const { depositUrl } = await openAccount();
  const formPath = new URL((await buyForm()).url).pathname;
  for (const pathname of [
    ...['/', '/docs', '/docs/status', '/receipts', '/nowhere', '/terms'],
    new URL(depositUrl).pathname,
    ...['/deposit/acct_none', formPath, `${formPath}/report`, '/f/none', '/report/none'],
  ]) {
    await page.goto(stack().apiUrl + pathname, { waitUntil: 'commit' });
    const footer = page.getByRole('contentinfo');
    for (const [name, href] of [
      ['Terms', '/terms'],
      ['Privacy', '/privacy'],
      ['Contact', '/contact'],
    ] as const)
      await expect(footer.getByRole('link', { name, exact: true }), pathname).toHaveAttribute('href', href);
  }
});

test('footers of forms and reports are in the language of the reader', async ({ browser }) => {
  const context = await browser.newContext({ locale: 'de-DE' });
  const page = await context.newPage();
  const footer = page.getByRole('contentinfo');
  await page.goto(`${stack().apiUrl}/f/none`);
  await expect(footer.getByRole('link', { name: 'Datenschutz' })).toHaveAttribute('href', '/privacy');
  await page.goto(`${stack().apiUrl}/report/none`);
  await expect(footer.getByRole('link', { name: 'Nutzungsbedingungen' })).toHaveAttribute('href', '/terms');
  await context.close();
});

test('documents of the operator’s own replace the templates', async ({ page }) => {
  const own = await startServer({
    ...stack().serverEnv,
    OPERATOR_NAME: 'Acme',
    OPERATOR_TERMS_URL: 'https://legal.example.com/terms?lang=en&copy=2',
    OPERATOR_PRIVACY_URL: 'https://legal.example.com/privacy',
  });
  try {
    await page.goto(`${own.apiUrl}/terms`);
    const target = 'https://legal.example.com/terms?lang=en&copy=2';
    await expect(page.getByRole('main').getByRole('link', { name: 'legal.example.com' })).toHaveAttribute(
      'href',
      target,
    );
    await expect(page.getByRole('heading', { name: 'Refunds' })).toHaveCount(0);
    const footer = page.getByRole('contentinfo');
    await expect(footer.getByRole('link', { name: 'Terms' })).toHaveAttribute('href', target);
    const openapi = await (await fetch(`${own.apiUrl}/openapi.json`)).json();
    expect(openapi.info).toMatchObject({ termsOfService: target, contact: { name: 'Acme' } });
  } finally {
    await own.stop();
  }
});
