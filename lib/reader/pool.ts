import { OutOfMemory } from '@/lib/chromium/browser';
import { BrowserPool, type PoolOptions } from '@/lib/chromium/pool';
import type { Client } from '@/lib/concurrency/fair-semaphore';
import type { Platform } from '@/lib/platform/platform';
import { launchReadingBrowser, type ReadingBrowser } from './chromium/reading-browser';
import { EgressProxy } from './egress/proxy';
import { type EgressRules, publicInternet } from './egress/rules';
import { type PageData, type ReadRequest, readPage } from './page/read';
import type { Unreadable } from './page/show';

/** What became of a page. Values and not errors, because every bundle has classes of its own. */
export type Reading =
  | { readonly kind: 'read'; readonly data: PageData }
  | { readonly kind: Unreadable }
  /** Too many pages wait, or there is no browser here that works. */
  | { readonly kind: 'busy' | 'absent' }
  /** It took more time than a page has, or the browser failed. */
  | { readonly kind: 'failed'; readonly cause: unknown };

/** What opening a page and taking out its content may take beside the time that the caller gives it, milliseconds. */
const openAndExtractMs = 5_000;

/** The browsers that read, and their one way out. */
export class ReadingPool {
  readonly #app: Platform;
  readonly #pool: BrowserPool<ReadingBrowser>;
  readonly #rules: EgressRules;
  #proxy: Promise<EgressProxy> | null = null;

  /** @param rules who may be connected to; the public internet and nothing else, but for tests */
  constructor(app: Platform, options: PoolOptions, rules: EgressRules = publicInternet) {
    this.#app = app;
    this.#rules = rules;
    this.#pool = new BrowserPool(app, options, {
      name: 'the reader',
      network: 'host',
      // A payment lives at least 30 s when it is accepted; waiting and reading together must stay well below.
      workTimeoutMs: 20_000,
      waitTimeoutMs: 5_000,
      launch: async (launch) => launchReadingBrowser(launch, await this.#openProxy()),
      tryOut: (browser) => browser.ready(),
    });
  }

  /** Whether a further page of this payer would be taken. */
  hasRoomFor(client: Pick<Client, 'payer' | 'isNewcomer'>): boolean {
    return this.#pool.hasRoomFor(client);
  }

  /** Whether pages can be read here. Starts the first browser when there is none. */
  isReady(): Promise<boolean> {
    return this.#pool.isReady();
  }

  /** Reads a page in a browser that nobody else has at the time. */
  async read(client: Client, request: ReadRequest): Promise<Reading> {
    const done = await this.#pool.run(client, (browser, timeoutMs) =>
      browser.withPage(Math.min(timeoutMs, request.timeout + openAndExtractMs), (page) =>
        readPage(this.#app, page, request),
      ),
    );
    if (done.kind === 'done') return done.value;
    return done.kind === 'failed' && done.cause instanceof OutOfMemory ? { kind: 'too_large' } : done;
  }

  /** Ends every browser and the way out; nothing is read any more. */
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

/** The pool that the settings ask for. Costs nothing until its first page. */
export function openReadingPool(app: Platform): ReadingPool {
  return new ReadingPool(app, {
    size: app.settings.READER_BROWSERS,
    waitingMax: app.settings.READER_QUEUE,
    chromiumPath: app.settings.CHROMIUM_PATH,
  });
}
