import { backoffMs } from '@/lib/platform/backoff';
import { FairLimit, type Lease, type Load } from '@/lib/platform/concurrency/fair-limit';
import { describeError } from '@/lib/platform/log';
import { type Client, ownerOf } from '@/lib/platform/owners';
import type { Platform } from '@/lib/platform/platform';
import { findChromium } from './binary';
import { BrowserEnded, DocumentTooHeavy, type LaunchOptions } from './browser';
import { removeAbandonedFolders } from './folder';
import { openFontCache, writeFontSettings } from './fonts';
import { type Isolation, type IsolationNeeds, isolationsFor } from './isolation';
import { findLibraries } from './libraries';

const attemptsMax = 3;
/** How many documents a browser gets before it is replaced, because its memory grows. */
const documentsPerBrowser = 200;

/** There is no browser: none is installed, or none starts. */
class NoBrowser extends Error {
  /** Whether one is installed, so that it may start later. */
  readonly isInstalled: boolean;

  constructor(message: string, isInstalled: boolean, options?: ErrorOptions) {
    super(message, options);
    this.isInstalled = isInstalled;
  }
}

/** The result of a piece of work. */
export type Done<T> =
  | { readonly kind: 'done'; readonly value: T }
  /** `absent`: there is no Chromium for this host. `failing`: there is one, and it does not start at the moment. */
  | { readonly kind: 'busy' | 'absent' | 'failing' }
  | { readonly kind: 'failed'; readonly cause: unknown };

/** What the pool needs from a browser. */
export interface PooledBrowser {
  readonly isAlive: boolean;
  /** How many documents it has processed. */
  readonly used: number;
  end(): Promise<void>;
}

/** The operator's settings. */
export interface PoolOptions {
  /** How many documents run at a time, each in its own browser. */
  readonly size: number;
  /** How many more may wait. */
  readonly waitingMax: number;
  /** The operator's Chromium. Defaults to the packaged one. */
  readonly chromiumPath: string | undefined;
}

/** The purpose of a pool's browsers. */
export interface Purpose<B extends PooledBrowser> extends IsolationNeeds {
  /** Its name in the log. */
  readonly name: string;
  /** The time limit of a document once it has a browser. */
  readonly workTimeoutMs: number;
  readonly waitTimeoutMs: number;
  readonly launch: (launch: LaunchOptions) => Promise<B>;
  /** Tests that a browser works. */
  readonly tryOut: (browser: B, timeoutMs: number) => Promise<unknown>;
}

/** A pool of running browsers, each with one document at a time. It starts none before the first document. */
export class BrowserPool<B extends PooledBrowser> {
  readonly #app: Pick<Platform, 'clock' | 'timings' | 'log'>;
  readonly #options: PoolOptions;
  readonly #purpose: Purpose<B>;
  readonly #queue: FairLimit;
  #launch: Promise<LaunchOptions> | null = null;
  /** The name of the isolation that worked last. No weaker one is tried afterwards. */
  #isolation: string | null = null;
  /** The last start that failed; null when the last one succeeded. */
  #failure: { readonly error: NoBrowser; readonly atMs: number; readonly times: number } | null = null;
  #cancelRetry: () => void = () => undefined;
  #idle: B[] = [];
  #starting = 0;
  #isClosed = false;
  readonly #background = new Set<Promise<unknown>>();
  readonly #all = new Set<B>();
  readonly #comingUp = new Set<Promise<B>>();

  constructor(app: Pick<Platform, 'clock' | 'timings' | 'log'>, options: PoolOptions, purpose: Purpose<B>) {
    this.#app = app;
    this.#options = options;
    this.#purpose = purpose;
    this.#queue = new FairLimit({
      size: options.size,
      waitingMax: options.waitingMax,
      waitingOfPayerMax: Math.ceil(options.waitingMax / 2),
      patience: {
        clock: app.clock,
        waitMs: purpose.waitTimeoutMs,
        revokeAfterMs: app.timings.browsers.revokeAfterMs,
      },
    });
  }

  /** Whether another document of this payer would be accepted. */
  hasRoomFor(client: Omit<Client, 'countWork'>): boolean {
    return this.#queue.hasRoomFor(ownerOf(client));
  }

  /** How many documents wait, and how many have a browser. */
  get load(): Load {
    return this.#queue.load;
  }

  /** The isolation of the browsers; null until one has worked. */
  async isolation(): Promise<Isolation | null> {
    const launch = await this.#launch?.catch(() => null);
    return launch?.isolation ?? null;
  }

  /** Whether a browser is installed and does not start. Another start is tried soon. */
  get isFailing(): boolean {
    return this.#failure?.error.isInstalled === true && this.#all.size === 0;
  }

  /** In how many seconds another start is tried; at least 1. */
  get retryAfterSeconds(): number {
    return Math.max(1, Math.ceil(this.#pauseLeftMs / 1_000));
  }

  /** Whether a browser works. Starts the first one if there is none. */
  async readiness(): Promise<'ready' | 'absent' | 'failing'> {
    if (this.#all.size > 0) return 'ready';
    try {
      await this.#findLaunch();
      this.#refill();
      return 'ready';
    } catch (error) {
      return kindOf(error);
    }
  }

  /**
   * Runs work in a browser. A browser that dies by accident (a crash, a kill) is replaced. Work is ended with `busy`
   * when others wait and its payer has more than its share of the browsers.
   */
  async run<T>(client: Client, work: (browser: B, timeoutMs: number) => Promise<T>): Promise<Done<T>> {
    const lease = await this.#queue.enter(ownerOf(client));
    if (!lease) return { kind: 'busy' };
    let workedMs = 0;
    const timed = async (browser: B, timeoutMs: number) => {
      const beganMs = this.#app.clock.monotonic();
      try {
        return await endingWith(lease, browser, () => work(browser, timeoutMs));
      } finally {
        workedMs += this.#app.clock.monotonic() - beganMs;
      }
    };
    try {
      return { kind: 'done', value: await this.#runSomewhere(timed, lease) };
    } catch (cause) {
      if (lease.revoked.aborted) {
        workedMs = 0;
        return { kind: 'busy' };
      }
      return cause instanceof NoBrowser ? { kind: kindOf(cause) } : { kind: 'failed', cause };
    } finally {
      client.countWork(Math.round(workedMs));
      lease.release();
    }
  }

  /** Ends every browser and all work. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelRetry();
    const comingUp = Promise.allSettled([this.#launch, ...this.#comingUp]);
    await Promise.all([comingUp, ...this.#background, ...[...this.#all].map((browser) => browser.end())]);
  }

  async #runSomewhere<T>(
    work: (browser: B, timeoutMs: number) => Promise<T>,
    { revoked }: Lease,
  ): Promise<T> {
    const deadline = this.#app.clock.monotonic() + this.#purpose.workTimeoutMs;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#runOnce(work, deadline);
      } catch (error) {
        const isWorthAnother = error instanceof BrowserEnded && !(error instanceof DocumentTooHeavy);
        const isOver = revoked.aborted || attempt >= attemptsMax || this.#app.clock.monotonic() >= deadline;
        if (!isWorthAnother || isOver) throw error;
      }
    }
  }

  async #runOnce<T>(work: (browser: B, timeoutMs: number) => Promise<T>, deadline: number): Promise<T> {
    const browser = await this.#takeBrowser();
    try {
      return await work(browser, deadline - this.#app.clock.monotonic());
    } finally {
      const isGood = browser.isAlive && browser.used < documentsPerBrowser;
      if (isGood && this.#all.size <= this.#options.size) this.#idle.push(browser);
      else this.#drop(browser);
    }
  }

  async #takeBrowser(): Promise<B> {
    // While one browser prepares its next page, another is used.
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

  /** Work that only `close` waits for. */
  #inBackground(failure: string, work: Promise<unknown>): void {
    const done: Promise<unknown> = work
      .catch((error: unknown) => this.#app.log.warn({ error: describeError(error) }, failure))
      .finally(() => this.#background.delete(done));
    this.#background.add(done);
  }

  /** Starts missing browsers, so that no document has to wait for one. */
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

  #start(launch: LaunchOptions): Promise<B> {
    const starting = this.#bringUp(launch).finally(() => this.#comingUp.delete(starting));
    this.#comingUp.add(starting);
    return starting;
  }

  async #bringUp(launch: LaunchOptions): Promise<B> {
    if (this.#isClosed) throw new NoBrowser('the pool is closed', false);
    const browser = await this.#purpose.launch(launch).catch(async (cause: unknown) => {
      const isCurrent = (await this.#launch?.catch(() => null)) === launch;
      // Chromium may be gone, for example because the folder of temporary files was cleaned, so it is looked for again.
      if (isCurrent && this.#all.size === 0) this.#launch = null;
      throw new BrowserEnded('no browser came up', { cause });
    });
    await this.#add(browser);
    return browser;
  }

  /** @throws when the pool was closed while the browser came up; the browser is then ended */
  async #add(browser: B): Promise<void> {
    if (this.#isClosed) {
      await browser.end();
      throw new NoBrowser('the pool is closed', false);
    }
    this.#all.add(browser);
  }

  /** Finds Chromium and the strongest isolation that works here. */
  async #findLaunch(): Promise<LaunchOptions> {
    if (this.#isClosed) throw new NoBrowser('the pool is closed', false);
    if (!this.#launch && this.#failure && this.#pauseLeftMs > 0) throw this.#failure.error;
    this.#launch ??= this.#tryTwice().then(
      (launch) => {
        this.#failure = null;
        return launch;
      },
      (error: unknown) => {
        this.#launch = null;
        throw this.#isClosed ? error : this.#noteFailure(error);
      },
    );
    return this.#launch;
  }

  /** A start may fail by accident, for instance when the host ends a process for lack of memory. */
  async #tryTwice(): Promise<LaunchOptions> {
    try {
      return await this.#tryLaunchOptions();
    } catch (error) {
      if (this.#isClosed || error instanceof NoBrowser || this.#failure) throw error;
      return this.#tryLaunchOptions();
    }
  }

  /** Logs a start that failed, and plans the next one. */
  #noteFailure(error: unknown): NoBrowser {
    this.#app.log.error({ error: describeError(error) }, `there is no browser for ${this.#purpose.name}`);
    const failure = error instanceof NoBrowser ? error : new NoBrowser('none starts', true, { cause: error });
    const times = (this.#failure?.times ?? 0) + 1;
    this.#failure = { error: failure, atMs: this.#app.clock.monotonic(), times };
    if (failure.isInstalled) {
      this.#cancelRetry();
      this.#cancelRetry = this.#app.clock.after(this.#pauseMs, () => void this.readiness());
    }
    return failure;
  }

  /** How long to wait after the last failure: twice as long each time, up to a limit. */
  get #pauseMs(): number {
    const { retryLaunchFirstMs: firstMs, retryLaunchMs: maxMs } = this.#app.timings.browsers;
    return this.#failure ? backoffMs({ firstMs, maxMs }, this.#failure.times - 1) : 0;
  }

  get #pauseLeftMs(): number {
    if (!this.#failure) return 0;
    return Math.max(0, this.#failure.atMs + this.#pauseMs - this.#app.clock.monotonic());
  }

  async #tryLaunchOptions(): Promise<LaunchOptions> {
    await removeAbandonedFolders();
    const chromium = await findChromium(this.#options.chromiumPath);
    if (!chromium) throw new NoBrowser('there is no Chromium for this machine: set CHROMIUM_PATH', false);
    // The operator's own Chromium has what it needs.
    const isPackaged = this.#options.chromiumPath === undefined;
    const libraries = isPackaged ? await findLibraries(chromium) : null;
    const fontSettings = await writeFontSettings();
    let failure: unknown = new Error('the isolation that has worked is no longer possible on this host');
    for (const isolation of this.#isolationsFrom(chromium)) {
      const launch = { chromium, isPackaged, libraries, fontSettings, isolation };
      try {
        await openFontCache(isolation.uid);
        const browser = await this.#purpose.launch(launch);
        await this.#tryOut(browser);
        await this.#add(browser);
        this.#idle.push(browser);
        if (this.#isolation !== isolation.name) this.#reportReady(isolation);
        this.#isolation = isolation.name;
        return launch;
      } catch (error) {
        if (this.#isClosed) throw error;
        failure = error;
        this.#app.log.warn(
          { isolation: isolation.name, error: describeError(error) },
          'a browser could not be started with this isolation',
        );
      }
    }
    if (!this.#purpose.needsSandbox) throw failure;
    throw new Error('Chromium does not start with its sandbox on this host, and is not started without it', {
      cause: failure,
    });
  }

  /** The isolations that may be tried: from the strongest down to the one that worked last, or all. */
  #isolationsFrom(chromium: string): readonly Isolation[] {
    const all = isolationsFor(chromium, this.#purpose);
    return this.#isolation === null
      ? all
      : all.slice(0, all.findIndex(({ name }) => name === this.#isolation) + 1);
  }

  #reportReady({ name, hasNetwork, hasSandbox }: Isolation): void {
    const { name: purpose, network } = this.#purpose;
    const about = { isolation: name };
    if (network === 'host' && !hasSandbox)
      this.#app.log.warn(
        about,
        `${purpose} is ready, without Chromium's sandbox: a page that exploits Chromium can read what the server can, such as its keys`,
      );
    else if (network === 'none' && hasNetwork) this.#app.log.warn(about, `${purpose} is ready`);
    else this.#app.log.info(about, `${purpose} is ready`);
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

function kindOf(error: unknown): 'absent' | 'failing' {
  return error instanceof NoBrowser && !error.isInstalled ? 'absent' : 'failing';
}

/** Runs work, and ends its browser when the lease is revoked. */
async function endingWith<T>({ revoked }: Lease, browser: PooledBrowser, work: () => Promise<T>): Promise<T> {
  revoked.throwIfAborted();
  // The pool notices, ends it again, and handles errors.
  const end = () => browser.end().catch(() => undefined);
  revoked.addEventListener('abort', end, { once: true });
  try {
    return await work();
  } finally {
    revoked.removeEventListener('abort', end);
  }
}
