import type { Page } from '@playwright/test';

/** Parts of the deposit page, and what a person does on it. */

export const receipt = (page: Page) => page.getByRole('region', { name: 'Paid' });
export const problem = (page: Page) => page.getByRole('alert');
/** By its ID, because its name changes with the amount. */
export const payButton = (page: Page) => page.locator('#pay');
export const amountField = (page: Page) => page.getByLabel('Amount in USDC');
/** The networks that can be chosen, each with the wallet's balance on it. */
export const networks = (page: Page) => page.getByRole('group', { name: 'Network' }).locator('label:visible');

/** Enters an amount, chooses a network, and presses the button. */
export async function payIn(page: Page, amount: string, network: string): Promise<void> {
  await amountField(page).fill(amount);
  // The wallet's balance follows the name.
  await page.getByLabel(new RegExp(`^${network}( |$)`)).check();
  await page.getByRole('button', { name: `Pay ${amount.trim().replace(',', '.')} USDC` }).click();
}
