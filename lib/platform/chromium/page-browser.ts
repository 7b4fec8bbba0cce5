import type { Browser, BrowserContext, CDPSession } from 'puppeteer-core';
import { BrowserProcess, type LaunchOptions } from './browser';

/** An open page in its own context. */
export interface OpenPage {
  readonly context: BrowserContext;
  readonly session: CDPSession;
}

/** How a browser's pages are set up. */
export interface PageKind<P extends OpenPage> {
  /** Switches in addition to those of its isolation. */
  readonly switches: readonly string[];
  /**
   * Whether pages are laid out but never drawn on a screen. The browser then waits for each frame to be requested, and nothing
   * requests one. Only the packaged headless shell can do that: with another Chromium, such pages are drawn as well.
   */
  readonly isNeverDrawn?: true;
  /** Prepares a new page. */
  readonly prepare: (page: OpenPage) => Promise<P>;
  /** Releases what `prepare` took. May be called more than once. */
  readonly release?: (page: P) => void;
}

/** A Chromium with one page at a time, which keeps nothing from it. The next page is opened in advance. */
export class PageBrowser<P extends OpenPage> {
  used = 0;
  readonly #process: BrowserProcess;
  readonly #kind: PageKind<P>;
  readonly #isNeverDrawn: boolean;
  #next: Promise<P>;

  private constructor(process: BrowserProcess, kind: PageKind<P>, isNeverDrawn: boolean) {
    this.#process = process;
    this.#kind = kind;
    this.#isNeverDrawn = isNeverDrawn;
    this.#next = this.#open();
  }

  /** Starts a browser and opens its first page. If that fails, it leaves nothing behind. */
  static async launch<P extends OpenPage>(launch: LaunchOptions, kind: PageKind<P>): Promise<PageBrowser<P>> {
    const isNeverDrawn = kind.isNeverDrawn === true && launch.isPackaged;
    const switches = [...kind.switches, ...(isNeverDrawn ? ['--enable-begin-frame-control'] : [])];
    const launched = new PageBrowser(await BrowserProcess.start(launch, switches), kind, isNeverDrawn);
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

  /** Resolves when the next page is open; rejects when this browser cannot open one. */
  async ready(): Promise<void> {
    await this.#next;
  }

  /**
   * Runs `use` with a new page.
   * @throws BrowserEnded when the browser died, DocumentTooHeavy when we killed it
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

  /** Kills the browser's processes and removes its files. */
  end(): Promise<void> {
    this.#next.then(this.#kind.release, () => undefined);
    return this.#process.end();
  }

  /** Between requests: closes the old page and opens the next one. */
  #renew(page: P): Promise<P> {
    this.#kind.release?.(page);
    const next = page.context.close().then(() => this.#open());
    next.catch(() => undefined);
    return next;
  }

  async #open(): Promise<P> {
    const { browser } = this.#process;
    const context = await browser.createBrowserContext({ downloadBehavior: { policy: 'deny' } });
    const session = await openPage(browser, context, this.#isNeverDrawn);
    return this.#kind.prepare({ context, session });
  }
}

/**
 * Opens a page without puppeteer's own Page, whose session subscribes to the page's console and all its network events.
 * A page could send any amount through these, which this process would keep and parse.
 */
async function openPage(
  browser: Browser,
  { id }: BrowserContext,
  isNeverDrawn: boolean,
): Promise<CDPSession> {
  const ofBrowser = await browser.target().createCDPSession();
  const connection = ofBrowser.connection();
  if (!connection) throw new Error('the browser has no connection');
  const { targetId } = await connection.send('Target.createTarget', {
    url: 'about:blank',
    browserContextId: id,
    enableBeginFrameControl: isNeverDrawn,
  });
  const { targetInfo } = await connection.send('Target.getTargetInfo', { targetId });
  await ofBrowser.detach();
  return connection.createSession(targetInfo);
}
