import type { Logger } from 'pino';
import { env } from '@/lib/env';
import { describeError, log } from '@/lib/log';
import { processWide } from '@/lib/process-wide';
import { findChromium } from './binary';
import { BrowserEnded, DocumentTooHeavy, type Launch, PrintingBrowser } from './browser';
import { removeAbandonedFolders } from './folder';
import { openFontCache, writeFontSettings } from './fonts';
import { Places } from './places';
import { waysFor } from './walls';

/** A document's hard limit, from the moment when a browser takes it. */
const printTimeoutMs = 15_000;
/** A payment lives at least 30 s when it is accepted; waiting and printing together must stay well below. */
const waitTimeoutMs = 8_000;
const attemptsMax = 3;
/** Browsers grow; after so many documents a fresh one takes over. */
const documentsPerBrowser = 200;
/** After a launch that failed on every way, how long until the next try. */
const retryLaunchMs = 30_000;

/** There is no browser on this host that works. */
class NoBrowser extends Error {}

/** What became of a document. Values and not errors, because every bundle has classes of its own. */
export type Printed =
  | { readonly kind: 'printed'; readonly pdf: Buffer }
  | { readonly kind: 'busy' | 'absent' }
  | { readonly kind: 'failed'; readonly cause: unknown };

export interface PoolOptions {
  /** How many documents are printed at a time, each in a browser of its own. */
  readonly size: number;
  /** How many more may wait. */
  readonly waitingMax: number;
  /** The operator's own Chromium; the packaged one unless set. */
  readonly chromiumPath: string | undefined;
  readonly log: Pick<Logger, 'error' | 'info' | 'warn'>;
}

/** The browsers of this process: as many as RENDER_BROWSERS, warm, each with one document at a time. */
export class PrintingPool {
  readonly #options: PoolOptions;
  readonly #places: Places;
  #launch: Promise<Launch> | null = null;
  #failedAt = 0;
  #idle: PrintingBrowser[] = [];
  #starting = 0;
  #isClosed = false;
  readonly #background = new Set<Promise<unknown>>();
  readonly #all = new Set<PrintingBrowser>();

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#places = new Places(options.size, options.waitingMax, waitTimeoutMs);
  }

  /** Whether a further document would have to be turned away. */
  get isFull(): boolean {
    return this.#places.isFull;
  }

  /** Whether documents can be printed here. Starts the first browser when there is none. */
  async isReady(): Promise<boolean> {
    if (this.#all.size > 0) return true;
    try {
      await this.#findLaunch();
      this.#refill();
      return true;
    } catch {
      return false;
    }
  }

  /** Prints a document. A browser that dies under it without its doing (a crash, a kill) is replaced. */
  async print(html: string): Promise<Printed> {
    if (!(await this.#places.enter())) return { kind: 'busy' };
    try {
      return { kind: 'printed', pdf: await this.#printSomewhere(html) };
    } catch (cause) {
      return cause instanceof NoBrowser ? { kind: 'absent' } : { kind: 'failed', cause };
    } finally {
      this.#places.leave();
    }
  }

  /** Ends every browser; nothing is printed any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#background, ...[...this.#all].map((browser) => browser.end())]);
  }

  async #printSomewhere(html: string): Promise<Buffer> {
    const deadline = Date.now() + printTimeoutMs;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#printOnce(html, deadline);
      } catch (error) {
        const isWorthAnother = error instanceof BrowserEnded && !(error instanceof DocumentTooHeavy);
        if (!isWorthAnother || attempt >= attemptsMax || Date.now() >= deadline) throw error;
      }
    }
  }

  async #printOnce(html: string, deadline: number): Promise<Buffer> {
    const browser = await this.#takeBrowser();
    try {
      return await browser.print(html, deadline - Date.now());
    } finally {
      const isGood = browser.isAlive && browser.printed < documentsPerBrowser;
      if (isGood && this.#all.size <= this.#options.size) this.#idle.push(browser);
      else this.#drop(browser);
    }
  }

  async #takeBrowser(): Promise<PrintingBrowser> {
    // In turns: while one browser makes itself ready again, the next one is.
    for (let browser = this.#idle.shift(); browser; browser = this.#idle.shift()) {
      if (browser.isAlive) return browser;
      this.#drop(browser);
    }
    return this.#start(await this.#findLaunch());
  }

  #drop(browser: PrintingBrowser): void {
    this.#all.delete(browser);
    this.#inBackground('a browser could not be ended', browser.end());
    this.#refill();
  }

  /** Work that no document waits for, but the end of the pool does. */
  #inBackground(failure: string, work: Promise<unknown>): void {
    const done: Promise<unknown> = work
      .catch((error: unknown) => this.#options.log.warn({ error: describeError(error) }, failure))
      .finally(() => this.#background.delete(done));
    this.#background.add(done);
  }

  /** Starts the browsers that are missing, so that no document has to wait for one. */
  #refill(): void {
    const missing = this.#options.size - this.#all.size - this.#starting;
    for (let at = 0; at < missing && !this.#isClosed; at += 1) {
      this.#starting += 1;
      const start = this.#findLaunch()
        .then((launch) => this.#start(launch))
        .then((browser) => this.#idle.push(browser))
        .finally(() => {
          this.#starting -= 1;
        });
      this.#inBackground('a browser could not be started', start);
    }
  }

  async #start(launch: Launch): Promise<PrintingBrowser> {
    if (this.#isClosed) throw new NoBrowser('the renderer is closed');
    const browser = await PrintingBrowser.launch(launch).catch((cause: unknown) => {
      throw new BrowserEnded('no browser came up', { cause });
    });
    if (this.#isClosed) {
      await browser.end();
      throw new NoBrowser('the renderer is closed');
    }
    this.#all.add(browser);
    return browser;
  }

  /** Which Chromium, and the strongest way of starting it that works here; found once. */
  async #findLaunch(): Promise<Launch> {
    if (!this.#launch && Date.now() - this.#failedAt < retryLaunchMs) throw new NoBrowser('none was found');
    this.#launch ??= this.#tryWays().catch((error: unknown) => {
      this.#launch = null;
      this.#failedAt = Date.now();
      this.#options.log.error({ error: describeError(error) }, 'there is no browser to render with');
      throw new NoBrowser('none was found', { cause: error });
    });
    return this.#launch;
  }

  async #tryWays(): Promise<Launch> {
    await removeAbandonedFolders();
    const chromium = await findChromium(this.#options.chromiumPath);
    if (!chromium) throw new Error('there is no Chromium for this machine: set CHROMIUM_PATH');
    const fontSettings = await writeFontSettings();
    let failure: unknown;
    for (const way of waysFor(chromium)) {
      try {
        await openFontCache(way.uid);
        const browser = await PrintingBrowser.launch({ chromium, fontSettings, way });
        await browser.print('<!doctype html><title>ready</title>', printTimeoutMs);
        this.#all.add(browser);
        this.#idle.push(browser);
        this.#options.log[way.hasNetwork ? 'warn' : 'info']({ isolation: way.name }, 'the renderer is ready');
        return { chromium, fontSettings, way };
      } catch (error) {
        failure = error;
        this.#options.log.warn(
          { isolation: way.name, error: describeError(error) },
          'a browser could not be started so',
        );
      }
    }
    throw failure;
  }
}

/** The pool of this process. Costs nothing until the first document. */
export function printingPool(): PrintingPool {
  return processWide(
    'printing-pool',
    () =>
      new PrintingPool({
        size: env().RENDER_BROWSERS,
        waitingMax: env().RENDER_QUEUE,
        chromiumPath: env().CHROMIUM_PATH,
        log: log(),
      }),
  );
}
