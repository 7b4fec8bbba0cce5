import { BrowserPool, type PoolOptions } from '@/lib/platform/chromium/pool';
import type { Client, Load } from '@/lib/platform/concurrency/fair-semaphore';
import type { Platform } from '@/lib/platform/platform';
import { launchPrintingBrowser, type PrintingBrowser, print } from './printing-browser';

/** The result of printing a document. */
export type Printed =
  | { readonly kind: 'printed'; readonly pdf: Buffer }
  | { readonly kind: 'busy' | 'absent' | 'failing' }
  | { readonly kind: 'failed'; readonly cause: unknown };

/** The printing browsers: RENDER_BROWSERS of them, kept running, without any network. */
export class PrintingPool {
  readonly #pool: BrowserPool<PrintingBrowser>;

  constructor(app: Pick<Platform, 'clock' | 'log' | 'timings'>, options: PoolOptions) {
    this.#pool = new BrowserPool(app, options, {
      name: 'the renderer',
      network: 'none',
      needsSandbox: false,
      workTimeoutMs: app.timings.browsers.printMs,
      waitTimeoutMs: app.timings.waitForPlace.printingMs,
      launch: launchPrintingBrowser,
      tryOut: (browser, timeoutMs) => print(browser, '<!doctype html><title>ready</title>', timeoutMs),
    });
  }

  /** Whether another document of this payer would be accepted. */
  hasRoomFor(client: Pick<Client, 'payer' | 'isNewcomer'>): boolean {
    return this.#pool.hasRoomFor(client);
  }

  /** Whether documents can be printed here. Starts the first browser when there is none. */
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

  /** Prints a document. A browser that dies by accident (a crash, a kill) is replaced. */
  async print(client: Client, html: string): Promise<Printed> {
    const done = await this.#pool.run(client, (browser, timeoutMs) => print(browser, html, timeoutMs));
    return done.kind === 'done' ? { kind: 'printed', pdf: done.value } : done;
  }

  get load(): Load {
    return this.#pool.load;
  }

  /** Ends every browser. */
  close(): Promise<void> {
    return this.#pool.close();
  }
}

/** The configured pool. It starts nothing before its first document. */
export function openPrintingPool(app: Platform): PrintingPool {
  return new PrintingPool(app, {
    size: app.settings.RENDER_BROWSERS,
    waitingMax: app.settings.RENDER_QUEUE,
    chromiumPath: app.settings.CHROMIUM_PATH,
  });
}
