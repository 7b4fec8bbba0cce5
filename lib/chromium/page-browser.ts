import type { BrowserContext, CDPSession } from 'puppeteer-core';
import { BrowserProcess, type Launch } from './browser';

/** A page of a context of its own, open. */
export interface OpenPage {
  readonly context: BrowserContext;
  readonly session: CDPSession;
}

/** What the pages of a browser are for. */
export interface PageKind<P extends OpenPage> {
  /** What the browser is started with beside the switches of its way. */
  readonly switches: readonly string[];
  /** Makes a page ready that has shown nothing yet. */
  readonly prepare: (page: OpenPage) => Promise<P>;
  /** Lets go of what `prepare` took for a page that is done with. May be asked more than once. */
  readonly release?: (page: P) => void;
}

/** One Chromium, which has one page at a time and keeps nothing of it. The next page is ready before it is asked for. */
export class PageBrowser<P extends OpenPage> {
  used = 0;
  readonly #process: BrowserProcess;
  readonly #kind: PageKind<P>;
  #next: Promise<P>;

  private constructor(process: BrowserProcess, kind: PageKind<P>) {
    this.#process = process;
    this.#kind = kind;
    this.#next = this.#open();
  }

  /** Starts a browser and opens its first page. Throws when it does not come up; nothing is left then. */
  static async launch<P extends OpenPage>(launch: Launch, kind: PageKind<P>): Promise<PageBrowser<P>> {
    const launched = new PageBrowser(await BrowserProcess.start(launch, kind.switches), kind);
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

  /** Resolves when the next page is there; rejects when this browser will have none. */
  async ready(): Promise<void> {
    await this.#next;
  }

  /**
   * Has a fresh page do something.
   * @throws BrowserEnded when the browser did not survive it, DocumentTooHeavy when that was our doing
   */
  withPage<T>(timeoutMs: number, use: (page: P) => Promise<T>): Promise<T> {
    return this.#process.within(timeoutMs, async () => {
      const page = await this.#next;
      const result = await use(page);
      this.used += 1;
      this.#next = this.#renew(page);
      return result;
    });
  }

  /** Kills every process of the browser and removes what it wrote. */
  end(): Promise<void> {
    this.#next.then(this.#kind.release, () => undefined);
    return this.#process.end();
  }

  /** While nobody waits: the old page is thrown away with all it had, and the next one is opened. */
  #renew(page: P): Promise<P> {
    this.#kind.release?.(page);
    const next = page.context.close().then(() => this.#open());
    next.catch(() => undefined);
    return next;
  }

  async #open(): Promise<P> {
    const context = await this.#process.browser.createBrowserContext({
      downloadBehavior: { policy: 'deny' },
    });
    const page = await context.newPage();
    return this.#kind.prepare({ context, session: await page.createCDPSession() });
  }
}
