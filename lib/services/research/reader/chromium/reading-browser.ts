import type { CDPSession } from 'puppeteer-core';
import type { LaunchOptions } from '@/lib/platform/chromium/browser';
import { type OpenPage, PageBrowser } from '@/lib/platform/chromium/page-browser';
import { quietFeatures, quietSwitches } from '@/lib/platform/chromium/switches';
import { type EgressProxy, greetingUrl } from '../egress/proxy';
import type { Visit, VisitLimits } from '../egress/visit';

/** The proxy's host name, the only name that the browser resolves. Pages cannot reach anything through it. */
const proxyName = 'egress.invalid';

/** An ordinary browser's user agent, so that pages look as people see them, with our name added. */
const userAgent =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/147.0.0.0 Safari/537.36 (compatible; TuppenceReader)';

/**
 * Restricts the reading browser to the egress proxy: loopback is not exempt, only the proxy's name is resolved, and
 * everything that bypasses proxies (QUIC, WebRTC over UDP, prefetching) is off.
 */
function confinement(proxyPort: number): readonly string[] {
  const features = [
    ...quietFeatures,
    'LCPPPrefetchSubresource',
    'NetworkPrediction',
    'Prerender2',
    'PrefetchProxy',
    'WebOTP',
  ];
  return [
    ...quietSwitches,
    `--proxy-server=http://${proxyName}:${proxyPort}`,
    '--proxy-bypass-list=<-loopback>',
    `--host-resolver-rules=MAP ${proxyName} 127.0.0.1,MAP * ~NOTFOUND`,
    '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
    '--webrtc-ip-handling-policy=disable_non_proxied_udp',
    // Images are not loaded, because only text is read. Pages do not see an error.
    '--blink-settings=imagesEnabled=false,dnsPrefetchingEnabled=false',
    '--block-new-web-contents',
    '--deny-permission-prompts',
    '--disable-3d-apis',
    '--disable-notifications',
    `--disable-features=${features.join(',')}`,
    '--lang=en-US',
    `--user-agent=${userAgent}`,
  ];
}

/** Limits for everything that one page loads. Its text is small, its scripts are not. */
const visitLimits: VisitLimits = {
  bytesMax: 40 * 1024 * 1024,
  connectionBytesMax: 20 * 1024 * 1024,
  connectionsMax: 400,
};

/** A new page in its own context, with its own proxy credential. */
export interface FreshPage extends OpenPage {
  readonly frameId: string;
  readonly visit: Visit;
}

/** A Chromium that shows one page at a time and keeps nothing from it. */
export type ReadingBrowser = PageBrowser<FreshPage>;

/** Starts a browser that can only connect to the proxy. If it fails to start, it leaves nothing behind. */
export function launchReadingBrowser(launch: LaunchOptions, proxy: EgressProxy): Promise<ReadingBrowser> {
  return PageBrowser.launch(launch, {
    switches: confinement(proxy.port),
    async prepare(page) {
      const visit = proxy.openVisit(visitLimits);
      try {
        return { ...page, visit, frameId: await prepare(page.session, visit) };
      } catch (error) {
        proxy.closeVisit(visit);
        throw error;
      }
    },
    release: ({ visit }) => proxy.closeVisit(visit),
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
 * Gives the context its proxy credential. From then on the browser sends it to the proxy with every request of the
 * page, its frames and workers. Pages never see it.
 */
async function introduce(session: CDPSession, { username, password }: Visit): Promise<void> {
  const onPaused = ({ requestId }: { requestId: string }) => {
    session.send('Fetch.continueRequest', { requestId }).catch(() => undefined);
  };
  session.on('Fetch.requestPaused', onPaused);
  session.on('Fetch.authRequired', ({ requestId, authChallenge }) => {
    const isProxy = authChallenge.source === 'Proxy';
    const authChallengeResponse = isProxy
      ? { response: 'ProvideCredentials' as const, username, password }
      : { response: 'CancelAuth' as const };
    session.send('Fetch.continueWithAuth', { requestId, authChallengeResponse }).catch(() => undefined);
  });
  await session.send('Fetch.enable', { handleAuthRequests: true, patterns: [{ urlPattern: '*' }] });
  const { errorText } = await session.send('Page.navigate', { url: greetingUrl });
  if (errorText) throw new Error(`the browser did not accept the egress proxy: ${errorText}`);
  await session.send('Fetch.disable');
  session.off('Fetch.requestPaused', onPaused);
}
