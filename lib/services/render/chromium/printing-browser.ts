import type { Launch } from '@/lib/chromium/browser';
import { type OpenPage, PageBrowser, type PageKind } from '@/lib/chromium/page-browser';
import { printDocument } from './print';
import { silence } from './silence';

/** One Chromium, which prints one document at a time and keeps nothing of it. */
export type PrintingBrowser = PageBrowser<OpenPage>;

const printing: PageKind<OpenPage> = {
  switches: silence,
  async prepare(page) {
    await page.session.send('Emulation.setScriptExecutionDisabled', { value: true });
    await page.session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
    return page;
  },
};

/** Starts a browser that prints. Throws when it does not come up; nothing is left then. */
export function launchPrintingBrowser(launch: Launch): Promise<PrintingBrowser> {
  return PageBrowser.launch(launch, printing);
}

/**
 * Prints a document.
 * @throws BrowserEnded when the browser did not survive it, DocumentTooHeavy when that was our doing
 */
export function print(browser: PrintingBrowser, html: string, timeoutMs: number): Promise<Buffer> {
  return browser.withPage(timeoutMs, ({ session }) => printDocument(session, html));
}
