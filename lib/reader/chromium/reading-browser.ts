import type { CDPSession } from 'puppeteer-core';
import type { Launch } from '@/lib/chromium/browser';
import { type OpenPage, PageBrowser } from '@/lib/chromium/page-browser';
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
export interface FreshPage extends OpenPage {
  readonly frameId: string;
  readonly visit: Visit;
}

/** One Chromium, which shows one page at a time and keeps nothing of it. */
export type ReadingBrowser = PageBrowser<FreshPage>;

/** Starts a browser whose only way out is the proxy. Throws when it does not come up; nothing is left then. */
export function launchReadingBrowser(launch: Launch, proxy: EgressProxy): Promise<ReadingBrowser> {
  return PageBrowser.launch(launch, {
    switches: confinement(proxy.port),
    async prepare(page) {
      const visit = proxy.welcome(visitLimits);
      try {
        return { ...page, visit, frameId: await prepare(page.session, visit) };
      } catch (error) {
        proxy.leave(visit);
        throw error;
      }
    },
    release: ({ visit }) => proxy.leave(visit),
  });
}

/** @returns the id of the page's main frame */
async function prepare(session: CDPSession, visit: Visit): Promise<string> {
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
  return frameTree.frame.id;
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
