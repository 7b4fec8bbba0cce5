import { expect, type Page, test } from '@playwright/test';
import { accountWith, buySlotFrom } from '../support/accounts';
import { takePicture } from '../support/console-page';
import { sql } from '../support/database';
import { stack } from '../support/stack';
import { expectAccessible, withAxe } from './accessible';

/** The page where anyone can report a file. */

let upload: { id: string; publicUrl: string };
let report: string;

test.beforeAll(async () => {
  upload = await (await buySlotFrom(await accountWith('1'))).json();
  report = `${stack().apiUrl}/report/${new URL(upload.publicUrl).pathname.split('/')[1]}`;
});

async function expectFits(page: Page): Promise<void> {
  const overflow = await page.evaluate(
    'document.documentElement.scrollWidth - document.documentElement.clientWidth',
  );
  expect(overflow).toBe(0);
}

for (const [what, options] of [
  ['desktop, light', { colorScheme: 'light', viewport: { width: 1280, height: 900 } }],
  ['desktop, dark', { colorScheme: 'dark', viewport: { width: 1280, height: 900 } }],
  ['390 pixels, light', { colorScheme: 'light', viewport: { width: 390, height: 844 } }],
  ['390 pixels, dark', { colorScheme: 'dark', viewport: { width: 390, height: 844 } }],
] as const) {
  test.describe(what, () => {
    test.use(options);
    test(`the page to report a file is accessible and fits: ${what}`, async ({ page }) => {
      await withAxe(page);
      const look = async (name: string) => {
        await expectAccessible(page);
        await expectFits(page);
        await takePicture(page, `report-${name}-${what.replaceAll(/\W+/g, '-')}`);
      };
      await page.goto(report);
      const name = new URL(upload.publicUrl).pathname.split('/')[2] ?? '';
      await expect(page.getByRole('main')).toContainText(name);
      await expect(page.getByRole('main')).toContainText(upload.publicUrl);
      await look('empty');
      await page.getByRole('button', { name: 'Send report' }).click();
      await expect(page.getByRole('alert')).toBeFocused();
      await look('problem');
      await page.goto(`${report}0`);
      await expect(page.getByRole('heading', { level: 1 })).toHaveText('There is no file at this link');
      await look('missing');
    });
  });
}

test.describe('by keyboard, without a script, on a phone', () => {
  test.use({ viewport: { width: 390, height: 844 }, javaScriptEnabled: false });

  test('a file is reported, after a problem that keeps what was written', async ({ page }) => {
    await page.goto(report);
    await page.keyboard.press('Tab');
    await expect(page.getByLabel('It harms devices')).toBeFocused();
    await page.keyboard.press('Tab');
    await page.keyboard.type('It is my face.');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('alert')).toContainText(
      'Select an answer to “What is wrong with this file?”',
    );
    await expect(page).toHaveTitle('Error: Report this file · Tuppence');
    await expect(page.getByRole('group')).toHaveAccessibleDescription(
      'Error: Select an answer to “What is wrong with this file?”',
    );
    await page.keyboard.press('Tab');
    await expect(page.getByRole('link', { name: 'Select an answer' })).toBeFocused();
    await page.keyboard.press('Enter');
    await expect(page.getByLabel('It harms devices')).toBeFocused();
    for (let step = 0; step < 3; step += 1) await page.keyboard.press('ArrowDown');
    await expect(page.getByLabel('It shows private information')).toBeChecked();
    await expect(page.getByRole('textbox')).toHaveValue('It is my face.');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('Your report was sent');
    expect(await sql('SELECT reason FROM abuse_report WHERE target_id = $1', [upload.id])).toEqual([
      { reason: 'private' },
    ]);
  });
});

test.describe('in the reader’s language', () => {
  test.use({ locale: 'ar-EG' });

  test('the page is in a language of the reader, and in its direction', async ({ page }) => {
    await page.goto(report);
    await expect(page.locator('html')).toHaveAttribute('dir', 'rtl');
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('الإبلاغ عن ملف');
    await expectAccessible(page);
    await page.getByRole('button', { name: 'إرسال البلاغ' }).click();
    await expect(page.getByRole('alert')).toContainText('اختر إجابة في الحقل «ما المشكلة في هذا الملف؟»');
    await takePicture(page, 'report-arabic');
  });
});

test.describe('from a link, without a script', () => {
  test.use({ viewport: { width: 320, height: 640 }, javaScriptEnabled: false });

  test('the page about abuse leads from the link of a file or a form to where it is reported', async ({
    page,
  }) => {
    const { apiUrl } = stack();
    const form = `${apiUrl}/f/fm_000000000000000000000000`;
    for (const [link, target] of [
      [upload.publicUrl, report],
      [` ${upload.publicUrl.replace('http://', '')} `, report],
      [form, `${form}/report`],
      ['https://example.com/f/fm_000000000000000000000000', null],
      ['', null],
    ] as const) {
      await page.goto(`${apiUrl}/abuse`);
      await page.getByLabel('Link of the form or file').fill(link);
      await page.getByRole('button', { name: 'Continue' }).click();
      if (target !== null) await expect(page).toHaveURL(target);
      else {
        await expect(page).toHaveTitle(/^Error: Report a form or a file/);
        const field = page.getByLabel('Link of the form or file');
        await expect(field).toHaveValue(link);
        await expect(field).toHaveAttribute('aria-invalid', 'true');
        await expectFits(page);
      }
    }
  });
});
