import { OutOfMemory } from '@/lib/platform/chromium/browser';
import { BrowserPool, type PoolOptions } from '@/lib/platform/chromium/browser-pool';
import type { Client } from '@/lib/platform/owners';
import type { Platform } from '@/lib/platform/platform';
import { type BotIdentity, openBotIdentity } from './bot-identity';
import { launchReadingBrowser, type ReadingBrowser } from './chromium/reading-browser';
import { EgressProxy } from './egress/proxy';
import { type EgressRules, publicInternet } from './egress/rules';
import type { Unreadable } from './page/open-page';
import { type PageData, type ReadRequest, readPage, type UnreadablePdf } from './page/read';

interface PoolDeps extends Pick<Platform, 'settings' | 'keys' | 'clock' | 'timings' | 'log'> {}

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
  /** Signs requests for pages. By default, nothing does. */
  readonly identity?: BotIdentity | null;
}

/** How long opening and extracting may take beside the time limit of the page, in milliseconds. */
const openAndExtractMs = 5_000;

/** The browsers that read pages, and their egress proxy. */
export class ReadingPool extends BrowserPool<ReadingBrowser> {
  readonly #app: Pick<Platform, 'clock' | 'timings'> & { readonly identity: BotIdentity | null };
  readonly #rules: EgressRules;
  #proxy: Promise<EgressProxy> | null = null;

  /** @param rules targets that may be connected to: the public internet, except in tests */
  constructor(
    app: Pick<Platform, 'clock' | 'timings' | 'log'>,
    options: ReaderOptions,
    rules: EgressRules = publicInternet,
  ) {
    super(app, options, {
      name: 'the reader',
      network: 'host',
      needsSandbox: options.allowsNoSandbox !== true,
      workTimeoutMs: app.timings.browsers.readMs + openAndExtractMs,
      waitTimeoutMs: app.timings.queueWait.readingMs,
      launch: async (launch) => launchReadingBrowser(launch, await this.#openProxy()),
      tryOut: (browser) => browser.ready(),
    });
    this.#app = { clock: app.clock, timings: app.timings, identity: options.identity ?? null };
    this.#rules = rules;
  }

  /** Reads a page in a browser that no other request uses at the time. */
  async read(client: Client, request: ReadRequest): Promise<Reading> {
    const done = await this.run(client, (browser, timeoutMs) =>
      browser.withPage(Math.min(timeoutMs, request.timeout + openAndExtractMs), (page) =>
        readPage(this.#app, page, request),
      ),
    );
    if (done.kind === 'done') return done.value;
    return done.kind === 'failed' && done.cause instanceof OutOfMemory ? { kind: 'too_large' } : done;
  }

  /** Whether the browsers have Chromium's sandbox; null until one has worked. */
  async hasSandbox(): Promise<boolean | null> {
    return (await this.isolation())?.hasSandbox ?? null;
  }

  /** Ends every browser and the proxy. */
  override async close(): Promise<void> {
    await super.close();
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
    identity: openBotIdentity(app),
  });
}
