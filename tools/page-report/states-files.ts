import type { Page } from '@playwright/test';
import { extractReceiptFromResponse } from '@x402/extensions/offer-receipt';
import { accountWith, buySlotFrom } from '@/tests/support/accounts';
import { payingFetch } from '@/tests/support/buyer';
import { aFile } from '@/tests/support/files';
import { newEvmPayer } from '@/tests/support/payers';
import { uploadsUrl } from '@/tests/support/uploads';
import type { PageState, StatesOf } from './state';
import { reportFirstReason, sendWrong } from './states-forms';

/** Reports of files, the page that verifies receipts, and links without a file. */

export const fileStates: StatesOf = async ({ apiUrl, filesUrl }) => {
  const upload = await (await buySlotFrom(await accountWith('1'))).json();
  const report = `${apiUrl}/report/${new URL(upload.publicUrl).pathname.split('/')[1]}`;
  const receipts = `${apiUrl}/receipts`;
  const state = (area: string, name: string, url: string, more: Partial<PageState> = {}): PageState => ({
    area,
    name,
    url,
    isUnlisted: true,
    ...more,
  });
  return [
    state('files', 'report-file', report, { isRated: true }),
    state('files', 'report-file-problem', report, { lead: sendWrong }),
    state('files', 'report-file-sent', report, { lead: reportFirstReason }),
    state('files', 'report-file-missing', `${report}0`),
    state('files', 'report-file-arabic', report, { locale: 'ar-EG', isRated: true }),
    state('files', 'link-not-uploaded', upload.publicUrl, { isSandboxed: true }),
    state('files', 'link-missing', `${filesUrl}/${'0'.repeat(22)}/notes.txt`, { isSandboxed: true }),
    state('site', 'receipt-genuine', receipts, { lead: verifyOne, isUnlisted: false }),
    state('site', 'receipt-wrong', receipts, { lead: (page) => verify(page, 'nothing'), isUnlisted: false }),
  ];
};

async function verify(page: Page, receipt: string): Promise<void> {
  await page.getByLabel('Receipt', { exact: true }).fill(receipt);
  await page.getByRole('button', { name: 'Verify' }).click();
  await page.getByRole('status').waitFor();
}

async function verifyOne(page: Page): Promise<void> {
  const pay = payingFetch(await newEvmPayer(), 'base');
  const answer = await pay(uploadsUrl(), { method: 'POST', body: aFile().body });
  await verify(page, extractReceiptFromResponse(answer)?.signature ?? '');
}
