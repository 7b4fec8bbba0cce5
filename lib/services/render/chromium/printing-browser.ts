import type { LaunchOptions } from '@/lib/platform/chromium/browser';
import { type OpenPage, PageBrowser, type PageKind } from '@/lib/platform/chromium/page-browser';
import { quietFeatures, quietSwitches } from '@/lib/platform/chromium/switches';
import { printDocument } from './print';

/** A Chromium that prints one document at a time and keeps nothing from it. */
export type PrintingBrowser = PageBrowser<OpenPage>;

/**
 * Switches that isolate the printing browser even without a network namespace: no scripts, no background work, and no
 * hostname or proxy that leads anywhere, not even to loopback.
 */
const silence: readonly string[] = [
  ...quietSwitches,
  '--blink-settings=scriptEnabled=false,dnsPrefetchingEnabled=false',
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--proxy-server=socks5://proxy.invalid:9',
  '--proxy-bypass-list=<-loopback>',
  `--disable-features=${quietFeatures.join(',')}`,
];

const printing: PageKind<OpenPage> = {
  switches: silence,
  async prepare(page) {
    await page.session.send('Emulation.setScriptExecutionDisabled', { value: true });
    await page.session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
    return page;
  },
};

/** Starts a browser that prints. If it fails to start, it leaves nothing behind. */
export function launchPrintingBrowser(launch: LaunchOptions): Promise<PrintingBrowser> {
  return PageBrowser.launch(launch, printing);
}

/**
 * Prints a document.
 * @throws BrowserEnded when the browser died, DocumentTooHeavy when we killed it
 */
export function print(browser: PrintingBrowser, html: string, timeoutMs: number): Promise<Buffer> {
  return browser.withPage(timeoutMs, ({ session }) => printDocument(session, html));
}
