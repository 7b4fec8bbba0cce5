import { expect, type Page } from '@playwright/test';
import { money } from '@/app/_wallets/words';

/** Parts of the deposit page, and what a person does on it. */

export const receipt = (page: Page) => page.getByRole('region', { name: / added$/ });
/** What the step that goes on does. */
export const progress = (page: Page, words: string) => page.getByRole('status').filter({ hasText: words });
export const problem = (page: Page) => page.getByRole('alert');
/** By its ID, because its name changes with the amount. */
export const payButton = (page: Page) => page.locator('#pay');
export const amountField = (page: Page) => page.getByLabel('Amount in USDC');
/** The networks that can be chosen, each with the wallet's balance on it. */
export const networks = (page: Page) => page.getByRole('group', { name: 'Network' }).locator('label:visible');

export const connect = (page: Page) => page.getByRole('button', { name: /^Connect / }).click();

/** Enters an amount, chooses a network, connects the wallet unless it is, and presses the button. */
export async function payIn(page: Page, amount: string, network: string): Promise<void> {
  await amountField(page).fill(amount);
  // The wallet's balance follows the name.
  await page.getByLabel(new RegExp(`^${network}( |$)`)).check();
  const pay = page.getByRole('button', { name: `Pay ${money(amount.replace(',', '.'))} USDC` });
  await expect(pay.or(page.getByRole('button', { name: /^Connect / }))).toBeVisible();
  if (!(await pay.isVisible())) await connect(page);
  await pay.click();
}
