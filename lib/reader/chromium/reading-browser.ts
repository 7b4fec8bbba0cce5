import type { BrowserContext, CDPSession } from 'puppeteer-core';
import { BrowserProcess, type Launch } from '@/lib/chromium/browser';
import { type EgressProxy, greetingUrl } from '../egress/proxy';
import type { Visit, VisitLimits } from '../egress/visit';
import { confinement } from './confinement';

/** Everything that one page loads, together: the text of a page is small, the scripts that make it are not. */
const visitLimits: VisitLimits = {
  bytesMax: 40 * 1024 * 1024,
  connectionBytesMax: 20 * 1024 * 1024,
  connectionsMax: 400,
};

/** A page of a context of its own, known to the proxy by a credential of its own, that has shown nothing yet. */
export interface FreshPage {
  readonly context: BrowserContext;
  readonly session: CDPSession;
  readonly frameId: string;
  readonly visit: Visit;
}

/** One Chromium, which shows one page at a time and keeps nothing of it. */
export class ReadingBrowser {
  used = 0;
  readonly #process: BrowserProcess;
  readonly #proxy: EgressProxy;
  #next: Promise<FreshPage>;
  /** The visits that are going on: the page's that is shown, and the next one's. */
  readonly #visits = new Set<Visit>();

  private constructor(process: BrowserProcess, proxy: EgressProxy) {
    this.#process = process;
    this.#proxy = proxy;
    this.#next = this.#freshPage();
  }

  /** Starts a browser and opens its first page. Throws when it does not come up; nothing is left then. */
  static async launch(launch: Launch, proxy: EgressProxy): Promise<ReadingBrowser> {
    const process = await BrowserProcess.start(launch, confinement(proxy.port));
    const launched = new ReadingBrowser(process, proxy);
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

  /** Resolves when the next page is there; rejects when this browser will show none. */
  async ready(): Promise<void> {
    await this.#next;
  }

  /**
   * Has a fresh page do something.
   * @throws BrowserEnded when the browser did not survive it, DocumentTooHeavy when that was our doing
   */
  withPage<T>(timeoutMs: number, use: (page: FreshPage) => Promise<T>): Promise<T> {
    return this.#process.within(timeoutMs, async () => {
      const page = await this.#next;
      const result = await use(page);
      this.used += 1;
      this.#next = this.#renew(page);
      return result;
    });
  }

  /** Kills every process of the browser, ends its connections and removes what it wrote. */
  end(): Promise<void> {
    this.#next.catch(() => undefined);
    for (const visit of this.#visits) this.#proxy.leave(visit);
    this.#visits.clear();
    return this.#process.end();
  }

  /** While nobody waits: the old page is thrown away with all it had, and the next one is opened. */
  #renew(page: FreshPage): Promise<FreshPage> {
    this.#leave(page.visit);
    const next = page.context.close().then(() => this.#freshPage());
    next.catch(() => undefined);
    return next;
  }

  #leave(visit: Visit): void {
    this.#proxy.leave(visit);
    this.#visits.delete(visit);
  }

  async #freshPage(): Promise<FreshPage> {
    const visit = this.#proxy.welcome(visitLimits);
    this.#visits.add(visit);
    const context = await this.#process.browser.createBrowserContext({
      downloadBehavior: { policy: 'deny' },
    });
    const page = await context.newPage();
    const session = await page.createCDPSession();
    await session.send('Page.enable');
    await introduce(session, visit);
    session.on('Page.javascriptDialogOpening', () => {
      session.send('Page.handleJavaScriptDialog', { accept: false }).catch(() => undefined);
    });
    await session.send('Network.enable', {
      maxTotalBufferSize: 16 * 1024 * 1024,
      maxResourceBufferSize: 8 * 1024 * 1024,
    });
    await session.send('Network.setBypassServiceWorker', { bypass: true });
    const { frameTree } = await session.send('Page.getFrameTree');
    return { context, session, frameId: frameTree.frame.id, visit };
  }
}

/**
 * Tells the context the credential of its visit, once: from then on the browser sends it to the proxy, and to nobody else,
 * with everything that the page, its frames and its workers ask for. Pages never see it.
 */
async function introduce(session: CDPSession, { username, password }: Visit): Promise<void> {
  const answer = (requestId: string) => {
    session.send('Fetch.continueRequest', { requestId }).catch(() => undefined);
  };
  session.on('Fetch.requestPaused', ({ requestId }) => answer(requestId));
  session.on('Fetch.authRequired', ({ requestId, authChallenge }) => {
    const isProxy = authChallenge.source === 'Proxy';
    const authChallengeResponse = isProxy
      ? { response: 'ProvideCredentials' as const, username, password }
      : { response: 'CancelAuth' as const };
    session.send('Fetch.continueWithAuth', { requestId, authChallengeResponse }).catch(() => undefined);
  });
  await session.send('Fetch.enable', { handleAuthRequests: true, patterns: [{ urlPattern: '*' }] });
  const { errorText } = await session.send('Page.navigate', { url: greetingUrl });
  if (errorText) throw new Error(`the browser did not get to know the egress proxy: ${errorText}`);
  await session.send('Fetch.disable');
}
