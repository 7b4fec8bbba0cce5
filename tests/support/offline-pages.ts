import type { CDPSession } from 'puppeteer-core';
import { BrowserPool } from '@/lib/platform/chromium/browser-pool';
import { PageBrowser } from '@/lib/platform/chromium/page-browser';
import { quietSwitches } from '@/lib/platform/chromium/switches';
import { extract } from '@/lib/services/research/reader/page/extraction';
import { pageLimits } from '@/lib/services/research/reader/page/page-limits';
import { someone } from './clients';
import { testPlatform } from './platform';

/** A page that the browser shows. */
export interface ShownPage {
  readonly session: CDPSession;
  readonly frameId: string;
}

const mainContent = {
  markdown: true,
  rawHtml: false,
  links: false,
  html: false,
  onlyMainContent: true,
  ...pageLimits,
};

/** Reads the content of a shown page as Markdown, as the service does. */
export async function readMarkdown({ session, frameId }: ShownPage): Promise<string> {
  return (await extract(session, frameId, mainContent)).markdown ?? '';
}

/** A browser that finds pages at their addresses, and nothing anywhere else. */
export interface OfflinePages {
  /** Shows the page of this address and runs `use` with it. */
  show<T>(url: string, use: (page: ShownPage) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/**
 * @param bodyOf the HTML of an address in UTF-8; null where there is nothing
 * @param runsScripts whether the scripts of the pages run
 */
export function openOfflinePages(
  bodyOf: (url: string) => Buffer | null,
  { runsScripts = true }: { readonly runsScripts?: boolean } = {},
): OfflinePages {
  const answer = (session: CDPSession, requestId: string, body: Buffer | null) =>
    body === null
      ? session.send('Fetch.failRequest', { requestId, errorReason: 'Failed' })
      : session.send('Fetch.fulfillRequest', {
          requestId,
          responseCode: 200,
          responseHeaders: [{ name: 'Content-Type', value: 'text/html; charset=utf-8' }],
          body: body.toString('base64'),
        });
  const pool = new BrowserPool(
    testPlatform(),
    { size: 1, waitingMax: 100, chromiumPath: undefined },
    {
      name: 'a browser for saved pages',
      network: 'host',
      needsSandbox: false,
      workTimeoutMs: 55_000,
      waitTimeoutMs: 30_000,
      launch: (launch) =>
        PageBrowser.launch(launch, {
          switches: quietSwitches,
          prepare: async (page) => {
            const { session } = page;
            session.on('Fetch.requestPaused', ({ requestId, request }) => {
              answer(session, requestId, bodyOf(request.url)).catch(() => undefined);
            });
            await session.send('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
            await session.send('Page.enable');
            await session.send('Emulation.setScriptExecutionDisabled', { value: !runsScripts });
            return page;
          },
        }),
      tryOut: (browser) => browser.ready(),
    },
  );
  return {
    async show(url, use) {
      const done = await pool.run(someone, (browser, timeoutMs) =>
        browser.withPage(timeoutMs, async ({ session }) => {
          const { frameTree } = await session.send('Page.getFrameTree');
          const loaded = new Promise((resolve) => session.once('Page.loadEventFired', resolve));
          await session.send('Page.navigate', { url });
          await loaded;
          return use({ session, frameId: frameTree.frame.id });
        }),
      );
      if (done.kind !== 'done') throw new Error(`not shown: ${url}`, { cause: done });
      return done.value;
    },
    close: () => pool.close(),
  };
}
