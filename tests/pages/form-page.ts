import { expect, type Page } from '@playwright/test';
import { stampOfAge } from '../support/form-stamps';
import type { CreatedForm } from '../support/forms';

/** Opens a form as if it had been open for a while: its posts carry an older stamp, so no test has to wait. */
export async function openAsReader(page: Page, form: CreatedForm): Promise<void> {
  await page.route(form.url, async (route) => {
    const body = route.request().postData();
    if (body === null) return route.fallback();
    const fields = new URLSearchParams(body);
    if ((fields.get('stamp') ?? '').length > 0) fields.set('stamp', stampOfAge(form.id, 5_000));
    await route.fallback({ postData: fields.toString() });
  });
  await page.goto(form.url);
}

/** Fills in every question of `everyType` as a person would. */
export async function fillIn(page: Page): Promise<void> {
  await page.getByLabel('Your name').fill('Ada');
  await page.getByLabel('Your story').fill('Once upon a time.\nThe end.');
  await page.getByLabel('Your email').fill('ada@example.com');
  await page.getByLabel('Guests').fill('2');
  await page.getByRole('group', { name: 'Food' }).getByLabel('Salad').check();
  const days = page.getByRole('group', { name: 'Days' });
  await days.getByLabel('Friday').check();
  await days.getByLabel('Other').check();
  await days.getByLabel('Your own answer').fill('Monday');
}

/** The answers that `fillIn` enters. */
export const filledIn = {
  name: 'Ada',
  story: 'Once upon a time.\nThe end.',
  mail: 'ada@example.com',
  guests: 2,
  food: 'Salad',
  days: ['Friday', 'Monday'],
};

/** Begins to fill in the form, and waits for the script that this loads. */
export async function beginWithScript(page: Page): Promise<void> {
  await page.getByLabel('Your name').focus();
  await expect(page.locator('html')).toHaveAttribute('data-script', 'ready');
}

export const send = (page: Page) => page.getByRole('button', { name: 'Send' }).click();

export const expectThanks = (page: Page) =>
  expect(page.getByRole('heading', { level: 1 })).toHaveText('Your answers were sent');
