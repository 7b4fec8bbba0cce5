import type { CDPSession, Protocol } from 'puppeteer-core';
import type { LaunchOptions } from '@/lib/platform/chromium/browser';
import { BrowserPool, type PoolOptions } from '@/lib/platform/chromium/browser-pool';
import { type OpenPage, PageBrowser, type PageKind } from '@/lib/platform/chromium/page-browser';
import { quietFeatures, quietSwitches } from '@/lib/platform/chromium/switches';
import type { Client } from '@/lib/platform/owners';
import type { Platform } from '@/lib/platform/platform';
import { PdfFile } from '@/lib/services/render/pdf-file';
import { evaluate } from './evaluate';
import { type Fit, fitDocument, screen } from './fit-document';

interface PoolDeps extends Pick<Platform, 'settings' | 'clock' | 'timings' | 'log'> {}

/** A name that is never resolved. The document is returned as its response. */
const documentUrl = 'https://document.invalid/';

const inchPerMm = 1 / 25.4;

/** A PDF may have 20 pages. Page 21 shows that there are too many, and no more need to be printed. */
const printedMax = 21;

/** The document's permissions, in addition to the browser's isolation. */
const headers: Protocol.Fetch.HeaderEntry[] = [
  { name: 'Content-Type', value: 'text/html; charset=utf-8' },
  {
    name: 'Content-Security-Policy',
    value:
      "default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; sandbox",
  },
  { name: 'Referrer-Policy', value: 'no-referrer' },
  { name: 'X-DNS-Prefetch-Control', value: 'off' },
];

/**
 * Loads a document in a new page and prints it on A4. The page size is ours (`preferCSSPageSize` off): `@page` may
 * rotate the page and set margins, and other sizes are scaled to A4. Every request but the document is refused. What is wider than
 * the page is printed smaller, and pages are left out that are empty because a part was taller than the page.
 */
export async function printDocument(session: CDPSession, html: string): Promise<PrintedDocument> {
  const body = Buffer.from(withOpenShadows(html), 'utf8').toString('base64');
  let isDelivered = false;
  session.on('Fetch.requestPaused', ({ requestId, request }) => {
    const isDocument = !isDelivered && request.url === documentUrl;
    isDelivered ||= isDocument;
    const answer = isDocument
      ? session.send('Fetch.fulfillRequest', { requestId, responseCode: 200, responseHeaders: headers, body })
      : session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
    // The page may be gone by then.
    answer.catch(() => undefined);
  });
  const loaded = new Promise<void>((resolve) => session.once('Page.loadEventFired', () => resolve()));
  const { errorText } = await session.send('Page.navigate', { url: documentUrl });
  if (errorText) throw new Error(`the document was not shown: ${errorText}`);
  await loaded;
  const fit = await fitDocument(session, html);
  const pdf = await printPages(session, fit, `1-${printedMax}`);
  const kept = pdf.length > bytesMax ? null : await pagesToKeep(session, pdf, fit);
  return { pdf: kept === null ? pdf : await printPages(session, fit, kept), cut: fit.cut };
}

/** What is in a closed shadow root cannot be measured. Nothing else depends on the mode, because scripts do not run. */
function withOpenShadows(html: string): string {
  return html.replace(/(<template\b[^<>]{0,500}?\sshadowrootmode\s*=\s*["']?)closed\b/gi, '$1open');
}

export interface PrintedDocument {
  readonly pdf: Buffer;
  /** The elements of which something is cut off or not shown, such as `td 14`. */
  readonly cut: readonly string[];
}

async function printPages(session: CDPSession, { scale, isTall }: Fit, pageRanges: string): Promise<Buffer> {
  const { stream } = await session.send('Page.printToPDF', {
    printBackground: true,
    paperWidth: 210 * inchPerMm,
    paperHeight: 297 * inchPerMm,
    ...(isTall ? { marginTop: 0, marginBottom: 0, marginLeft: 0, marginRight: 0 } : {}),
    scale,
    preferCSSPageSize: false,
    generateTaggedPDF: true,
    generateDocumentOutline: true,
    pageRanges,
    transferMode: 'ReturnAsStream',
  });
  if (stream === undefined) throw new Error('the browser returned no PDF');
  return readStream(session, stream);
}

/** A PDF may have 10 MiB. One chunk more shows that it is too large. */
const bytesMax = 10_485_760;

const chunkBytes = 1 << 20;

async function readStream(session: CDPSession, handle: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  while (length <= bytesMax) {
    const { data, base64Encoded, eof } = await session.send('IO.read', { handle, size: chunkBytes });
    const chunk = Buffer.from(data, base64Encoded ? 'base64' : 'utf8');
    chunks.push(chunk);
    length += chunk.length;
    if (eof) break;
  }
  // Nobody waits for that, and the page may be gone by then.
  session.send('IO.close', { handle }).catch(() => undefined);
  return Buffer.concat(chunks);
}

/** A Chromium that prints one document at a time and keeps nothing from it. */
type PrintingBrowser = PageBrowser<OpenPage>;

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
  isNeverDrawn: true,
  async prepare(page) {
    await page.session.send('Page.enable');
    await page.session.send('Emulation.setScriptExecutionDisabled', { value: true });
    await page.session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
    // A document is laid out once, as it will be printed.
    await page.session.send('Emulation.setEmulatedMedia', { media: 'print' });
    await page.session.send('Emulation.setDeviceMetricsOverride', screen);
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
function print(browser: PrintingBrowser, html: string, timeoutMs: number): Promise<PrintedDocument> {
  return browser.withPage(timeoutMs, ({ session }) => printDocument(session, html));
}

/** The result of printing a document. */
export type Printed =
  | { readonly kind: 'printed'; readonly document: PrintedDocument }
  | { readonly kind: 'busy' | 'absent' | 'failing' }
  | { readonly kind: 'failed'; readonly cause: unknown };

/** The printing browsers: RENDER_BROWSERS of them, kept running, without any network. */
export class PrintingPool extends BrowserPool<PrintingBrowser> {
  constructor(app: Pick<Platform, 'clock' | 'timings' | 'log'>, options: PoolOptions) {
    super(app, options, {
      name: 'the renderer',
      network: 'none',
      needsSandbox: false,
      workTimeoutMs: app.timings.browsers.printMs,
      waitTimeoutMs: app.timings.queueWait.printingMs,
      launch: launchPrintingBrowser,
      tryOut: (browser, timeoutMs) => print(browser, '<!doctype html><title>ready</title>', timeoutMs),
    });
  }

  /** Prints a document. A browser that dies by accident (a crash, a kill) is replaced. */
  async print(client: Client, html: string): Promise<Printed> {
    const done = await this.run(client, (browser, timeoutMs) => print(browser, html, timeoutMs));
    return done.kind === 'done' ? { kind: 'printed', document: done.value } : done;
  }
}

/** The configured pool. It starts nothing before its first document. */
export function openPrintingPool(app: PoolDeps): PrintingPool {
  return new PrintingPool(app, {
    size: app.settings.RENDER_BROWSERS,
    waitingMax: app.settings.RENDER_QUEUE,
    chromiumPath: app.settings.CHROMIUM_PATH,
  });
}

/** The pages of a printed document that stay, such as `1,3-5`, because others are empty; null if all stay. */
async function pagesToKeep(session: CDPSession, pdf: Buffer, { background }: Fit): Promise<string | null> {
  const file = new PdfFile(pdf);
  const count = file.pageCount;
  if (count === 1) return null;
  const empty = new Set(file.emptyPages(background));
  if (empty.size === 0) return null;
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const last = numbers.findLast((number) => !empty.has(number)) ?? 1;
  const isEmptyBefore = (number: number) => number < last && empty.has(number);
  const keepsEmpty =
    numbers.some(isEmptyBefore) && (await evaluate(session, asksForEmptyPage, null)) === true;
  const kept = numbers.filter((number) => number <= last && (keepsEmpty || !isEmptyBefore(number)));
  return kept.length === count ? null : kept.join(',');
}

/** Runs inside the browser: somebody who breaks the page at an element with nothing in it wants an empty page. */
function asksForEmptyPage(): boolean {
  const breaks = /^(page|left|right|recto|verso|always)$/;
  return [...Document.prototype.querySelectorAll.call(document, 'body *')].some((element) => {
    // A form's fields can hide its properties.
    if (!(element instanceof HTMLElement) || element instanceof HTMLFormElement) return false;
    if (element.childElementCount > 0 || (element.textContent ?? '').trim() !== '') return false;
    const { breakAfter, breakBefore, height } = getComputedStyle(element);
    const isLine = (element.textContent ?? '').includes('\u00a0');
    return (breaks.test(breakAfter) || breaks.test(breakBefore)) && (isLine || Number.parseFloat(height) < 2);
  });
}
