import { expect, test } from '@playwright/test';
import { sql } from '../support/database';
import { buyForm, everyType, readResponses } from '../support/forms';
import { desktopAndPhone, layoutShiftsOf, watchLayoutShifts } from '../support/layout-shifts';
import { sample } from '../support/tiers';
import { expectAccessible } from './accessible';
import { expectThanks, openAsReader } from './form-page';

const arabic = {
  title: 'حفلة الصيف',
  language: 'ar',
  questions: [
    { id: 'name', type: 'text', label: 'الاسم', required: true },
    {
      id: 'food',
      type: 'choice',
      label: 'الطعام',
      options: ['حساء', 'سلطة'],
      allowOther: true,
      required: true,
    },
  ],
};

/** What the default tier looks at; the full tier looks at the others. */
const inDefault = ['dark'];

for (const [what, options, body, button] of [
  ['light', { colorScheme: 'light' }, everyType, 'Send'],
  ['dark', { colorScheme: 'dark' }, everyType, 'Send'],
  ['320 pixels wide', { viewport: { width: 320, height: 640 } }, everyType, 'Send'],
  ['high contrast', { contrast: 'more' }, everyType, 'Send'],
  ['forced colours', { forcedColors: 'active' }, everyType, 'Send'],
  ['right to left', { viewport: { width: 400, height: 700 } }, arabic, 'إرسال'],
] as const) {
  test.describe(what, () => {
    test.use(options);
    test(
      `the form, empty and with problems, is accessible: ${what}`,
      sample(inDefault.includes(what)),
      async ({ page }) => {
        const form = await buyForm(body);
        await page.goto(form.url);
        await expectAccessible(page);
        await page.getByRole('button', { name: button }).click();
        await expect(page.getByRole('alert')).toBeFocused();
        await expectAccessible(page);
        const overflow = await page.evaluate(
          'document.documentElement.scrollWidth - document.documentElement.clientWidth',
        );
        expect(overflow).toBe(0);
      },
    );
  });
}

test('nothing on the form moves while it loads, and none of its problems', async ({ page }) => {
  const form = await buyForm();
  await watchLayoutShifts(page);
  for (const viewport of desktopAndPhone) {
    await page.setViewportSize(viewport);
    await page.goto(form.url, { waitUntil: 'networkidle' });
    expect(await layoutShiftsOf(page)).toEqual([]);
    await page.getByRole('button', { name: 'Send' }).click();
    await expect(page.getByRole('alert')).toBeFocused();
    expect(await layoutShiftsOf(page)).toEqual([]);
  }
});

test('thanks, report, closed and missing pages are accessible', async ({ page }) => {
  const form = await buyForm();
  for (const url of [`${form.url}/thanks`, `${form.url}/report`, `${form.url.slice(0, -1)}_`]) {
    await page.goto(url);
    await expectAccessible(page);
  }
  await sql(`UPDATE form SET closes_at = now() - interval '1 second' WHERE id = $1`, [form.id]);
  await page.goto(form.url);
  await expectAccessible(page);
});

test('the page is in the language and direction of its form', async ({ page }) => {
  const form = await buyForm(arabic);
  await page.goto(form.url);
  await expect(page.locator('html')).toHaveAttribute('lang', 'ar');
  await expect(page.locator('html')).toHaveAttribute('dir', 'rtl');
  await expect(page.getByRole('banner')).toContainText('لا تُدخل كلمات مرور');
  const input = await page.getByRole('radio').first().boundingBox();
  const text = await page.getByText('حساء').boundingBox();
  expect(input?.x).toBeGreaterThan(text?.x ?? Number.POSITIVE_INFINITY);
});

test('if the page has no translation for the language of the form, its own text is marked as English', async ({
  page,
}) => {
  const form = await buyForm({ ...arabic, language: 'fa' });
  await page.goto(form.url);
  await expect(page.locator('html')).toHaveAttribute('lang', 'fa');
  await expect(page.locator('html')).toHaveAttribute('dir', 'rtl');
  await expect(page.getByRole('banner')).toHaveAttribute('lang', 'en');
  await expect(page.getByRole('banner')).toHaveAttribute('dir', 'ltr');
});

test('the warning comes before everything that the author wrote', async ({ page }) => {
  const form = await buyForm();
  await page.goto(form.url);
  const text = (await page.locator('body').textContent()) ?? '';
  expect(text.indexOf('An AI agent made this form. Do not enter passwords')).toBeLessThan(
    text.indexOf('Summer party'),
  );
});

test('the form can be filled in and sent with the keyboard', async ({ page }) => {
  const form = await buyForm();
  await openAsReader(page, form);
  const { keyboard } = page;
  const order: string[] = [];
  const focused = () =>
    page.evaluate<string>(
      '[document.activeElement.tagName, document.activeElement.type, document.activeElement.name].join(" ")',
    );
  const type: Record<string, string> = {
    q_name: 'Ada',
    q_mail: 'ada@example.com',
    q_guests: '3',
  };
  for (let steps = 0; steps < 30; steps += 1) {
    await keyboard.press('Tab');
    const at = await focused();
    order.push(at);
    const [tag = '', kind = '', name = ''] = at.split(' ');
    if (type[name]) await keyboard.type(type[name]);
    if (name === 'q_food' && kind === 'radio') await keyboard.press('ArrowDown');
    if (name === 'q_days' && kind === 'checkbox') await keyboard.press('Space');
    if (name === 'q_days') type.q_days = '';
    if (tag === 'BUTTON') break;
  }
  expect(order.join()).not.toContain('contact_me_by');
  // Each tab stop has a visible focus outline.
  expect(await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')).toBe('solid');
  await keyboard.press('Enter');
  await expect(page.getByRole('alert')).toBeFocused();
  // Four boxes were checked but only two are allowed: back from the summary's link, by keyboard.
  await keyboard.press('Tab');
  await keyboard.press('Enter');
  await expect(page.getByRole('group', { name: 'Days' }).getByLabel('Friday')).toBeFocused();
  await keyboard.press('Space');
  await keyboard.press('Tab');
  await keyboard.press('Space');
  await keyboard.press('Tab');
  await keyboard.press('Tab');
  await keyboard.press('Space');
  await keyboard.press('Tab');
  await keyboard.press('Enter');
  await expectThanks(page);
  const { responses } = await (await readResponses(form)).json();
  expect(responses[0].answers).toEqual({
    name: 'Ada',
    mail: 'ada@example.com',
    guests: 3,
    food: 'Salad',
    days: ['Sunday'],
  });
});

test('the button has the label that the author chose', async ({ page }) => {
  const form = await buyForm({ ...everyType, submitLabel: 'Join the party' });
  await openAsReader(page, form);
  await expect(page.getByRole('button', { name: 'Join the party' })).toBeVisible();
});
