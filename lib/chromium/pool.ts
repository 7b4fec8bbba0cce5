import { type Client, FairSemaphore, type Lease, ownerOf } from '@/lib/concurrency/fair-semaphore';
import { describeError } from '@/lib/platform/log';
import type { Platform } from '@/lib/platform/platform';
import { findChromium } from './binary';
import { BrowserEnded, DocumentTooHeavy, type Launch } from './browser';
import { removeAbandonedFolders } from './folder';
import { openFontCache, writeFontSettings } from './fonts';
import { type Network, waysFor } from './ways';

const attemptsMax = 3;
/** Browsers grow; after so many documents a fresh one takes over. */
const documentsPerBrowser = 200;
/** After a launch that failed on every way, how long until the next try. */
const retryLaunchMs = 30_000;

/** How long a document waits before a payer with more than a share of the browsers gives one up. */
const revokeAfterMs = 1_000;

/** There is no browser on this host that works. */
class NoBrowser extends Error {}

/** What became of a piece of work. Values and not errors, because every bundle has classes of its own. */
export type Done<T> =
  | { readonly kind: 'done'; readonly value: T }
  | { readonly kind: 'busy' | 'absent' }
  | { readonly kind: 'failed'; readonly cause: unknown };

/** A browser as the pool sees it. */
export interface PooledBrowser {
  readonly isAlive: boolean;
  /** How many documents it has had. */
  readonly used: number;
  end(): Promise<void>;
}

/** What an operator settles. */
export interface PoolOptions {
  /** How many documents are worked on at a time, each in a browser of its own. */
  readonly size: number;
  /** How many more may wait. */
  readonly waitingMax: number;
  /** The operator's own Chromium; the packaged one unless set. */
  readonly chromiumPath: string | undefined;
}

/** What the browsers of a pool are for. */
export interface Purpose<B extends PooledBrowser> {
  /** How the log names it. */
  readonly name: string;
  readonly network: Network;
  /** A document's hard limit, from the moment when a browser takes it. */
  readonly workTimeoutMs: number;
  readonly waitTimeoutMs: number;
  readonly launch: (launch: Launch) => Promise<B>;
  /** Shows that a browser works. */
  readonly tryOut: (browser: B, timeoutMs: number) => Promise<unknown>;
}

/** Browsers kept warm, each with one document at a time. Costs nothing until the first document. */
export class BrowserPool<B extends PooledBrowser> {
  readonly #app: Pick<Platform, 'clock' | 'log'>;
  readonly #options: PoolOptions;
  readonly #purpose: Purpose<B>;
  readonly #queue: FairSemaphore;
  #launch: Promise<Launch> | null = null;
  #failedAt = 0;
  #idle: B[] = [];
  #starting = 0;
  #isClosed = false;
  readonly #background = new Set<Promise<unknown>>();
  readonly #all = new Set<B>();

  constructor(app: Pick<Platform, 'clock' | 'log'>, options: PoolOptions, purpose: Purpose<B>) {
    this.#app = app;
    this.#options = options;
    this.#purpose = purpose;
    this.#queue = new FairSemaphore({
      size: options.size,
      waitingMax: options.waitingMax,
      waitMs: purpose.waitTimeoutMs,
      revokeAfterMs,
    });
  }

  /** Whether a further document of this payer would be taken. */
  hasRoomFor(client: Pick<Client, 'payer' | 'isNewcomer'>): boolean {
    return this.#queue.hasRoomFor(ownerOf(client));
  }

  /** Whether there is a browser that works. Starts the first browser when there is none. */
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

  /**
   * Does a piece of work. A browser that dies under it without its doing (a crash, a kill) is replaced. Work is broken off,
   * and `busy` then, when others wait and its payer has more than a share of the browsers.
   */
  async run<T>(client: Client, work: (browser: B, timeoutMs: number) => Promise<T>): Promise<Done<T>> {
    const lease = await this.#queue.enter(ownerOf(client));
    if (!lease) return { kind: 'busy' };
    let workedMs = 0;
    const timed = async (browser: B, timeoutMs: number) => {
      const beganMs = this.#app.clock.now();
      try {
        return await endingWith(lease, browser, () => work(browser, timeoutMs));
      } finally {
        workedMs += this.#app.clock.now() - beganMs;
      }
    };
    try {
      return { kind: 'done', value: await this.#runSomewhere(timed, lease) };
    } catch (cause) {
      if (lease.revoked.aborted) {
        workedMs = 0;
        return { kind: 'busy' };
      }
      return cause instanceof NoBrowser ? { kind: 'absent' } : { kind: 'failed', cause };
    } finally {
      client.countWork(Math.round(workedMs));
      lease.release();
    }
  }

  /** Ends every browser; nothing is worked on any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#background, ...[...this.#all].map((browser) => browser.end())]);
  }

  async #runSomewhere<T>(
    work: (browser: B, timeoutMs: number) => Promise<T>,
    { revoked }: Lease,
  ): Promise<T> {
    const deadline = this.#app.clock.now() + this.#purpose.workTimeoutMs;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#runOnce(work, deadline);
      } catch (error) {
        const isWorthAnother = error instanceof BrowserEnded && !(error instanceof DocumentTooHeavy);
        const isOver = revoked.aborted || attempt >= attemptsMax || this.#app.clock.now() >= deadline;
        if (!isWorthAnother || isOver) throw error;
      }
    }
  }

  async #runOnce<T>(work: (browser: B, timeoutMs: number) => Promise<T>, deadline: number): Promise<T> {
    const browser = await this.#takeBrowser();
    try {
      return await work(browser, deadline - this.#app.clock.now());
    } finally {
      const isGood = browser.isAlive && browser.used < documentsPerBrowser;
      if (isGood && this.#all.size <= this.#options.size) this.#idle.push(browser);
      else this.#drop(browser);
    }
  }

  async #takeBrowser(): Promise<B> {
    // In turns: while one browser makes itself ready again, the next one is.
    for (let browser = this.#idle.shift(); browser; browser = this.#idle.shift()) {
      if (browser.isAlive) return browser;
      this.#drop(browser);
    }
    return this.#start(await this.#findLaunch());
  }

  #drop(browser: B): void {
    this.#all.delete(browser);
    this.#inBackground('a browser could not be ended', browser.end());
    this.#refill();
  }

  /** Work that no document waits for, but the end of the pool does. */
  #inBackground(failure: string, work: Promise<unknown>): void {
    const done: Promise<unknown> = work
      .catch((error: unknown) => this.#app.log.warn({ error: describeError(error) }, failure))
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

  async #start(launch: Launch): Promise<B> {
    if (this.#isClosed) throw new NoBrowser('the pool is closed');
    const browser = await this.#purpose.launch(launch).catch((cause: unknown) => {
      throw new BrowserEnded('no browser came up', { cause });
    });
    if (this.#isClosed) {
      await browser.end();
      throw new NoBrowser('the pool is closed');
    }
    this.#all.add(browser);
    return browser;
  }

  /** Which Chromium, and the strongest way of starting it that works here; found once. */
  async #findLaunch(): Promise<Launch> {
    if (!this.#launch && this.#app.clock.now() - this.#failedAt < retryLaunchMs)
      throw new NoBrowser('none was found');
    this.#launch ??= this.#tryWays().catch((error: unknown) => {
      this.#launch = null;
      this.#failedAt = this.#app.clock.now();
      this.#app.log.error({ error: describeError(error) }, `there is no browser for ${this.#purpose.name}`);
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
    for (const way of waysFor(chromium, this.#purpose.network)) {
      try {
        await openFontCache(way.uid);
        const browser = await this.#purpose.launch({ chromium, fontSettings, way });
        await this.#tryOut(browser);
        this.#all.add(browser);
        this.#idle.push(browser);
        const isWeaker = way.hasNetwork && this.#purpose.network === 'none';
        this.#app.log[isWeaker ? 'warn' : 'info']({ isolation: way.name }, `${this.#purpose.name} is ready`);
        return { chromium, fontSettings, way };
      } catch (error) {
        failure = error;
        this.#app.log.warn(
          { isolation: way.name, error: describeError(error) },
          'a browser could not be started so',
        );
      }
    }
    throw failure;
  }

  async #tryOut(browser: B): Promise<void> {
    try {
      await this.#purpose.tryOut(browser, this.#purpose.workTimeoutMs);
    } catch (error) {
      await browser.end();
      throw error;
    }
  }
}

/** Does a piece of work; its browser is ended under it when the lease is revoked. */
async function endingWith<T>({ revoked }: Lease, browser: PooledBrowser, work: () => Promise<T>): Promise<T> {
  revoked.throwIfAborted();
  // The pool sees that it is gone, ends it once more and hears of what goes wrong.
  const end = () => browser.end().catch(() => undefined);
  revoked.addEventListener('abort', end, { once: true });
  try {
    return await work();
  } finally {
    revoked.removeEventListener('abort', end);
  }
}
