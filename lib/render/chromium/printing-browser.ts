import type { BrowserContext, CDPSession } from 'puppeteer-core';
import { BrowserProcess, type Launch } from '@/lib/chromium/browser';
import { printDocument } from './print';
import { silence } from './silence';

/** A context that no document has touched, with its page open. */
interface FreshPage {
  readonly context: BrowserContext;
  readonly session: CDPSession;
}

/** One Chromium, which prints one document at a time and keeps nothing of it. */
export class PrintingBrowser {
  used = 0;
  readonly #process: BrowserProcess;
  #next: Promise<FreshPage>;

  private constructor(process: BrowserProcess) {
    this.#process = process;
    this.#next = this.#freshPage();
  }

  /** Starts a browser and opens its first page. Throws when it does not come up; nothing is left then. */
  static async launch(launch: Launch): Promise<PrintingBrowser> {
    const launched = new PrintingBrowser(await BrowserProcess.start(launch, silence));
    try {
      await launched.#next;
    } catch (error) {
      await launched.end();
      throw error;
    }
    return launched;
  }

  get isAlive(): boolean {
    return this.#process.isAlive;
  }

  /**
   * Prints a document.
   * @throws BrowserEnded when the browser did not survive it, DocumentTooHeavy when that was our doing
   */
  print(html: string, timeoutMs: number): Promise<Buffer> {
    return this.#process.within(timeoutMs, async () => {
      const page = await this.#next;
      const pdf = await printDocument(page.session, html);
      this.used += 1;
      this.#next = this.#renew(page);
      return pdf;
    });
  }

  /** Kills every process of the browser and removes what it wrote. */
  end(): Promise<void> {
    this.#next.catch(() => undefined);
    return this.#process.end();
  }

  /** While nobody waits: the old page is thrown away with all it had, and the next one is opened. */
  #renew(page: FreshPage): Promise<FreshPage> {
    const next = page.context.close().then(() => this.#freshPage());
    next.catch(() => undefined);
    return next;
  }

  async #freshPage(): Promise<FreshPage> {
    const context = await this.#process.browser.createBrowserContext({
      downloadBehavior: { policy: 'deny' },
    });
    const page = await context.newPage();
    const session = await page.createCDPSession();
    await session.send('Emulation.setScriptExecutionDisabled', { value: true });
    await session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
    return { context, session };
  }
}
