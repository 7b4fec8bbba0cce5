import { OutOfMemory } from '@/lib/platform/chromium/browser';
import { BrowserPool, type PoolOptions } from '@/lib/platform/chromium/browser-pool';
import type { Load } from '@/lib/platform/concurrency/fair-limit';
import type { Client } from '@/lib/platform/owners';
import type { Platform } from '@/lib/platform/platform';
import { launchReadingBrowser, type ReadingBrowser } from './chromium/reading-browser';
import { EgressProxy } from './egress/proxy';
import { type EgressRules, publicInternet } from './egress/rules';
import type { Unreadable } from './page/open-page';
import { type PageData, type ReadRequest, readPage, type UnreadablePdf } from './page/read';

/** What `openReadingPool` uses. */
interface PoolDeps extends Pick<Platform, 'settings' | 'clock' | 'timings' | 'log'> {}

/** The result of reading a page. */
export type Reading =
  | { readonly kind: 'read'; readonly data: PageData }
  | { readonly kind: Unreadable }
  | { readonly kind: 'pdf'; readonly problem: UnreadablePdf }
  /** The queue is full, or there is no working browser. */
  | { readonly kind: 'busy' | 'absent' | 'failing' }
  /** It exceeded its time limit, or the browser failed. */
  | { readonly kind: 'failed'; readonly cause: unknown };

export interface ReaderOptions extends PoolOptions {
  /** Whether pages are read even where Chromium's sandbox does not work. Defaults to false, because their scripts come from strangers. */
  readonly allowsNoSandbox?: boolean;
}

/** How long opening and extracting may take beside the time limit of the page, in milliseconds. */
const openAndExtractMs = 5_000;

/** The browsers that read pages, and their egress proxy. */
export class ReadingPool {
  readonly #app: Pick<Platform, 'clock' | 'timings'>;
  readonly #pool: BrowserPool<ReadingBrowser>;
  readonly #rules: EgressRules;
  #proxy: Promise<EgressProxy> | null = null;

  /** @param rules targets that may be connected to: the public internet, except in tests */
  constructor(
    app: Pick<Platform, 'clock' | 'timings' | 'log'>,
    options: ReaderOptions,
    rules: EgressRules = publicInternet,
  ) {
    this.#app = app;
    this.#rules = rules;
    this.#pool = new BrowserPool(app, options, {
      name: 'the reader',
      network: 'host',
      needsSandbox: options.allowsNoSandbox !== true,
      workTimeoutMs: app.timings.browsers.readMs + openAndExtractMs,
      waitTimeoutMs: app.timings.queueWait.readingMs,
      launch: async (launch) => launchReadingBrowser(launch, await this.#openProxy()),
      tryOut: (browser) => browser.ready(),
    });
  }

  /** Whether another page of this payer would be accepted. */
  hasRoomFor(client: Omit<Client, 'countWork'>): boolean {
    return this.#pool.hasRoomFor(client);
  }

  /** Whether pages can be read here. Starts the first browser when there is none. */
  readiness(): ReturnType<BrowserPool<never>['readiness']> {
    return this.#pool.readiness();
  }

  /** Whether a browser is installed and does not start. */
  get isFailing(): boolean {
    return this.#pool.isFailing;
  }

  /** In how many seconds another start is tried. */
  get retryAfterSeconds(): number {
    return this.#pool.retryAfterSeconds;
  }

  /** Reads a page in a browser that no other request uses at the time. */
  async read(client: Client, request: ReadRequest): Promise<Reading> {
    const done = await this.#pool.run(client, (browser, timeoutMs) =>
      browser.withPage(Math.min(timeoutMs, request.timeout + openAndExtractMs), (page) =>
        readPage(this.#app, page, request),
      ),
    );
    if (done.kind === 'done') return done.value;
    return done.kind === 'failed' && done.cause instanceof OutOfMemory ? { kind: 'too_large' } : done;
  }

  /** Whether the browsers have Chromium's sandbox; null until one has worked. */
  async hasSandbox(): Promise<boolean | null> {
    return (await this.#pool.isolation())?.hasSandbox ?? null;
  }

  get load(): Load {
    return this.#pool.load;
  }

  /** Ends every browser and the proxy. */
  async close(): Promise<void> {
    await this.#pool.close();
    await (await this.#proxy)?.close();
  }

  #openProxy(): Promise<EgressProxy> {
    this.#proxy ??= EgressProxy.start(this.#rules).catch((error: unknown) => {
      this.#proxy = null;
      throw error;
    });
    return this.#proxy;
  }
}

/** The configured pool. It starts nothing before its first page. */
export function openReadingPool(app: PoolDeps): ReadingPool {
  return new ReadingPool(app, {
    size: app.settings.READER_BROWSERS,
    waitingMax: app.settings.READER_QUEUE,
    chromiumPath: app.settings.CHROMIUM_PATH,
    allowsNoSandbox: app.settings.READER_WITHOUT_SANDBOX,
  });
}
