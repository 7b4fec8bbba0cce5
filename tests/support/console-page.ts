import { expect, type Page } from '@playwright/test';
import { operatorToken } from './console';

/** Signs in as a person does. */
export async function signInByHand(page: Page, apiUrl: string): Promise<void> {
  await page.goto(`${apiUrl}/operator`);
  await page.getByLabel('Operator token').fill(operatorToken());
  await page.getByRole('button', { name: 'Sign in' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Overview');
}

/** Saves a full-page screenshot for people to look at, if a folder for screenshots is set. */
export async function takePicture(page: Page, name: string): Promise<void> {
  const folder = process.env.CONSOLE_PICTURES;
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}
