import { expect, type Page, test } from '@playwright/test';
import { extractReceiptFromResponse } from '@x402/extensions/offer-receipt';
import { fromAnywhere } from '../support/accounts';
import { payingFetch } from '../support/buyer';
import { takePicture } from '../support/console-page';
import { aFile } from '../support/files';
import { newEvmPayer } from '../support/payers';
import { stack } from '../support/stack';
import { sample } from '../support/tiers';
import { uploadsUrl } from '../support/uploads';
import { expectAccessible, withAxe } from './accessible';

/** The page where anyone can verify a receipt. */

/** Buys an upload with a body of several lines, whose line endings a browser sends differently. */
async function buy() {
  const wallet = await newEvmPayer();
  const body = JSON.stringify(aFile().announcement, null, 2);
  const answer = await payingFetch(wallet, 'base')(uploadsUrl(), { method: 'POST', body });
  const signature = extractReceiptFromResponse(answer)?.signature ?? '';
  const header = answer.headers.get('payment-response') ?? '';
  return { payer: wallet.address, body, signature, header, text: await answer.text() };
}

type Fields = Readonly<Partial<Record<'Receipt' | 'Path' | 'Request body' | 'Response body', string>>>;

async function verify(page: Page, fields: Fields): Promise<void> {
  await page.goto(`${stack().apiUrl}/receipts`);
  for (const summary of await page.locator('summary').all()) await summary.click();
  for (const [label, value] of Object.entries(fields))
    await page.getByLabel(label, { exact: true }).fill(value);
  await page.getByRole('button', { name: 'Verify' }).click();
}

const outcome = (page: Page) => page.getByRole('status');

test('a receipt with its request and its answer is genuine, and says who paid what', async ({ page }) => {
  const { payer, body, header, text } = await buy();
  await verify(page, { Receipt: header, Path: '/v1/uploads', 'Request body': body, 'Response body': text });
  await expect(outcome(page)).toContainText('Genuine receipt');
  await expect(outcome(page)).toBeFocused();
  await expect(page).toHaveTitle(/^Genuine receipt · /);
  for (const [term, fact] of [
    ['Paid', '0.005 USDC on Base'],
    ['Payer', payer],
    ['Issued', /\d:\d\d\s[AP]M\sUTC$/],
    ['Request', 'Same as you entered'],
    ['Response', 'Same as you entered'],
    ['Status when issued', 'Success (200)'],
    ['Status now', 'Delivered'],
  ] as const) {
    const row = page.locator('dl.facts > div').filter({ has: page.getByText(term, { exact: true }) });
    await expect(row.locator('dd')).toHaveText(fact);
  }
});

test('a genuine receipt with another request, or with another response, says which one differs', async ({
  page,
}) => {
  const { body, signature, text } = await buy();
  await verify(page, { Receipt: signature, Path: '/v1/uploads', 'Request body': body.replace('"', "'") });
  await expect(outcome(page)).toContainText('Genuine receipt, but not for this request');
  await expect(page).toHaveTitle(/^Genuine receipt, but not for this request/);
  await verify(page, { Receipt: signature, 'Response body': `${text} ` });
  await expect(outcome(page)).toContainText('Genuine receipt, but not for this response');
});

test('optional parts are closed at first, and a form without a receipt says what is missing', async ({
  page,
}) => {
  await page.goto(`${stack().apiUrl}/receipts`);
  await expect(page.getByLabel('Path')).toBeHidden();
  await page.getByRole('button', { name: 'Verify' }).click();
  await expect(page).toHaveTitle(/^Error: Verify a receipt/);
  await expect(page.getByRole('alert')).toBeFocused();
  await page.getByRole('alert').getByRole('link', { name: 'Paste a receipt' }).click();
  const receipt = page.getByLabel('Receipt', { exact: true });
  await expect(receipt).toBeFocused();
  await expect(receipt).toHaveAttribute('aria-invalid', 'true');
});

test('a post with a thousand fields is refused, and a request with a long body is not shown again', async () => {
  const post = (body: string) =>
    fetch(`${stack().apiUrl}/receipts`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...fromAnywhere() },
      body,
    });
  expect((await post('a&'.repeat(1_000))).status).toBe(400);
  const long = 'y'.repeat(300_000);
  const answer = await post(`receipt=none&path=/v1/long&body=${long}`);
  expect(answer.status).toBe(200);
  const html = await answer.text();
  expect(html).not.toContain(long.slice(0, 1_000));
  // With an empty body, the form would describe a different request.
  expect(html).not.toContain('/v1/long');
  expect(html).toContain('too long to be shown again');
});

test('the page refuses a text that is no receipt of this service, and shows it again as text', async ({
  page,
}) => {
  const { signature } = await buy();
  const [head = '', payload = ''] = signature.split('.');
  const elsewhere = { alg: 'EdDSA', kid: 'did:web:example.com#receipts-2026-01-01-00000000' };
  const of = (header: object) => Buffer.from(JSON.stringify(header)).toString('base64url');
  const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString());
  for (const [receipt, words] of [
    ['<script>alert(1)</script>', 'It is not a receipt'],
    [`${of(elsewhere)}.${payload}.AAAA`, 'another service'],
    [`${of({ alg: 'EdDSA', kid: `${kid}0` })}.${payload}.AAAA`, 'a key that this service never had'],
    [`${of({ alg: 'none', kid })}.${payload}.AAAA`, 'It is not a receipt'],
    [`${head}.${payload}.AAAA`, 'signature is wrong'],
  ] as const) {
    await verify(page, { Receipt: receipt });
    await expect(outcome(page)).toContainText(words);
    await expect(page.getByLabel('Receipt', { exact: true })).toHaveValue(receipt);
  }
});

for (const colorScheme of ['light', 'dark'] as const) {
  test(
    `the page is accessible and fits, ${colorScheme} and 320 pixels wide`,
    sample(colorScheme === 'dark'),
    async ({ browser }) => {
      const context = await browser.newContext({ colorScheme, viewport: { width: 320, height: 640 } });
      const page = await context.newPage();
      await withAxe(page);
      const { signature } = await buy();
      await verify(page, { Receipt: signature });
      await expect(outcome(page)).toContainText('Genuine');
      await expectAccessible(page);
      await takePicture(page, `receipt-${colorScheme}`);
      expect(
        await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth'),
      ).toBe(0);
      await context.close();
    },
  );
}
