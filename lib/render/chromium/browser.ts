import { chown, rm } from 'node:fs/promises';
import puppeteer, { type Browser, type BrowserContext, type CDPSession } from 'puppeteer-core';
import { newBrowserFolder } from './folder';
import { printDocument } from './print';
import { groupEnd, groupMemory, killGroup } from './process-group';
import { silence, type Way } from './walls';

const launchTimeoutMs = 10_000;
/** Far above what twenty pages need; a document that wants more is ended before the host suffers. */
const memoryMax = 1024 * 1024 * 1024;
/** Most documents are printed before the first look, which goes through every process of the machine. */
const memoryCheckMs = 400;

export interface Launch {
  readonly chromium: string;
  readonly fontSettings: string;
  readonly way: Way;
}

/** Why a browser did not print. */
export class BrowserEnded extends Error {}
/** It was ended by us, because the document took too much. Another browser would fare no better. */
export class DocumentTooHeavy extends BrowserEnded {}

/** A context that no document has touched, with its page open. */
interface FreshPage {
  readonly context: BrowserContext;
  readonly session: CDPSession;
}

/** One Chromium, which prints one document at a time and keeps nothing of it. */
export class PrintingBrowser {
  printed = 0;
  readonly #browser: Browser;
  readonly #pid: number;
  readonly #folder: string;
  readonly #exited: Promise<void>;
  #next: Promise<FreshPage>;
  #ending: Promise<void> | null = null;

  private constructor(browser: Browser, pid: number, folder: string, exited: Promise<void>) {
    this.#browser = browser;
    this.#pid = pid;
    this.#folder = folder;
    this.#exited = exited;
    this.#next = this.#freshPage();
  }

  /** Starts a browser and opens its first page. Throws when it does not come up; nothing is left then. */
  static async launch({ chromium, fontSettings, way }: Launch): Promise<PrintingBrowser> {
    const folder = await newBrowserFolder();
    if (way.uid !== null) await chown(folder, way.uid, way.uid);
    let browser: Browser;
    try {
      browser = await puppeteer.launch({
        executablePath: way.program ?? chromium,
        ignoreDefaultArgs: true,
        args: [...way.before, ...way.switches, ...silence, `--user-data-dir=${folder}`, 'about:blank'],
        pipe: true,
        timeout: launchTimeoutMs,
        protocolTimeout: 60_000,
        handleSIGHUP: false,
        handleSIGINT: false,
        handleSIGTERM: false,
        // Nothing of ours: no settings, no secrets, no proxies.
        env: {
          PATH: process.env.PATH,
          HOME: folder,
          TMPDIR: folder,
          TZ: 'UTC',
          FONTCONFIG_FILE: fontSettings,
        },
      });
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
    const child = browser.process();
    if (!child?.pid) throw new Error('the browser has no process');
    const exited = new Promise<void>((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) resolve();
      else child.once('exit', () => resolve());
    });
    const launched = new PrintingBrowser(browser, child.pid, folder, exited);
    try {
      await launched.#next;
    } catch (error) {
      await launched.end();
      throw error;
    }
    return launched;
  }

  get isAlive(): boolean {
    return this.#ending === null && this.#browser.connected;
  }

  /**
   * Prints a document.
   * @throws BrowserEnded when the browser did not survive it, DocumentTooHeavy when that was our doing
   */
  async print(html: string, timeoutMs: number): Promise<Buffer> {
    const guard = this.#guard(timeoutMs);
    try {
      const page = await Promise.race([this.#next, guard.broken]);
      const pdf = await Promise.race([printDocument(page.session, html), guard.broken]);
      this.printed += 1;
      this.#next = this.#renew(page);
      return pdf;
    } catch (error) {
      // Killed at once; what is left to clear away keeps nobody waiting, and the pool hears of it.
      this.end().catch(() => undefined);
      if (error instanceof BrowserEnded) throw error;
      throw new BrowserEnded('the browser failed', { cause: error });
    } finally {
      guard.stop();
    }
  }

  /** Kills every process of the browser and removes what it wrote. */
  end(): Promise<void> {
    this.#ending ??= (async () => {
      this.#next.catch(() => undefined);
      killGroup(this.#pid);
      await this.#exited;
      await groupEnd(this.#pid);
      await rm(this.#folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
    })();
    return this.#ending;
  }

  /** Breaks off what takes too long or too much, at once and whatever the browser is doing. */
  #guard(timeoutMs: number): { broken: Promise<never>; stop(): void } {
    const stops: (() => void)[] = [];
    const broken = new Promise<never>((_, reject) => {
      const timer = setTimeout(() => reject(new DocumentTooHeavy('out of time')), timeoutMs);
      const watch = setInterval(async () => {
        if (((await groupMemory(this.#pid)) ?? 0) > memoryMax) reject(new DocumentTooHeavy('out of memory'));
      }, memoryCheckMs);
      const onExit = () => reject(new BrowserEnded('the browser is gone'));
      this.#browser.once('disconnected', onExit);
      stops.push(
        () => clearTimeout(timer),
        () => clearInterval(watch),
        () => this.#browser.off('disconnected', onExit),
      );
      if (!this.#browser.connected) onExit();
    });
    broken.catch(() => undefined);
    const stop = () => {
      for (const end of stops) end();
    };
    return { broken, stop };
  }

  /** While nobody waits: the old page is thrown away with all it had, and the next one is opened. */
  #renew(page: FreshPage): Promise<FreshPage> {
    const next = page.context.close().then(() => this.#freshPage());
    next.catch(() => undefined);
    return next;
  }

  async #freshPage(): Promise<FreshPage> {
    const context = await this.#browser.createBrowserContext({ downloadBehavior: { policy: 'deny' } });
    const page = await context.newPage();
    const session = await page.createCDPSession();
    await session.send('Emulation.setScriptExecutionDisabled', { value: true });
    await session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
    return { context, session };
  }
}
