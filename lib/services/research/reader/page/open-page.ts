import { parseUrl } from '@/lib/platform/addresses/parse-url';
import { targetOf } from '@/lib/platform/addresses/target';
import { readUrl } from '@/lib/platform/addresses/url';
import { inTime } from '@/lib/platform/concurrency/in-time';
import type { Platform } from '@/lib/platform/platform';
import type { BotIdentity } from '../bot-identity';
import type { FreshPage } from '../chromium/reading-browser';
import type { NoConnection } from '../egress/dial';
import { type DocumentResponse, Loading } from './loading';
import { type DownloadedPdf, MainResponse } from './main-response';
import { loadOnScroll } from './scrolling';

/** Why a URL cannot be read. */
export type Unreadable =
  /** It leads or redirects to a private address, or to a port other than 80 and 443. */
  | 'not_public'
  /** Neither HTML nor text nor a PDF: an image, a download. */
  | 'unsupported'
  /** It loads more than allowed, or redirects without end. */
  | 'too_large'
  /** There is no text in it. */
  | 'without_text'
  /** The name does not resolve, or there is no valid response in time. */
  | 'unreachable';

/** A shown page, perhaps incomplete. */
export interface LoadedPage {
  readonly kind: 'html' | 'text';
  /** What a text is fenced as; null for one that is not code. */
  readonly language: string | null;
  readonly response: DocumentResponse;
  /** Whether everything was loaded in time. */
  readonly isFinished: boolean;
}

/** A PDF that came instead of a page. */
export interface LoadedPdf {
  readonly kind: 'pdf';
  readonly pdf: DownloadedPdf;
}

const causes: Readonly<Record<NoConnection, Unreadable>> = {
  not_public: 'not_public',
  port: 'not_public',
  unknown_name: 'unreachable',
  unreachable: 'unreachable',
};

/** Ports of other protocols, which the browser itself never connects to: https://fetch.spec.whatwg.org/#port-blocking */
const unsafePort = 'net::ERR_UNSAFE_PORT';

/** Opens a page and waits until it is finished, or its time is over. */
export async function openAndWait(
  app: Pick<Platform, 'clock'> & { readonly identity: BotIdentity | null },
  page: FreshPage,
  { url, waitMs, deadline }: { url: string; waitMs: number; deadline: number },
): Promise<LoadedPage | LoadedPdf | Unreadable> {
  const { session, frameId, visit } = page;
  // The browser would open any URL that it is given directly, even local files.
  if (typeof readUrl(url) === 'string') return 'not_public';
  const loading = new Loading(app, session, frameId, url);
  const main = await MainResponse.watch(session, frameId, app.identity);
  const left = () => Math.max(0, deadline - app.clock.monotonic());
  const navigated = session.send('Page.navigate', { url, frameId });
  navigated.catch(() => undefined);
  const first = await inTime(app.clock, navigated, left(), null);
  // There was no response: until the first one, the browser does not answer questions about the page.
  if (first?.errorText === unsafePort) return 'not_public';
  if (first === null || first.errorText) return causeOf(loading, visit);
  const isCutOff = () => visit.cutOff !== null;
  const isOver = () => isCutOff() || main.pdf !== null;
  const isFinished = await loading.finished(deadline, isOver);
  if (isFinished && waitMs > 0) {
    await app.clock.sleep(Math.min(waitMs, left()));
    await loading.finished(deadline, isOver);
  }
  const kind = () => (main.text ? 'text' : kindOf(loading.response?.mimeType ?? ''));
  if (isFinished && !isOver() && kind() === 'html')
    await loadOnScroll(app, page, loading, { deadline, isOver });
  if (loading.hasTooManyDocuments || isCutOff()) return 'too_large';
  if (main.pdf) return { kind: 'pdf', pdf: main.pdf };
  const address = await shownAddress(session);
  // The browser shows its own error page or an empty document.
  if (address === null || !loading.response) return causeOf(loading, visit);
  const shown = kind();
  if (!shown) return 'unsupported';
  const { language = null, contentType = loading.response.contentType } = main.text ?? {};
  return { kind: shown, language, response: { ...loading.response, contentType }, isFinished };
}

/** The URL of the document in the main frame, if it came over http or https. */
async function shownAddress(session: FreshPage['session']): Promise<string | null> {
  const { frameTree } = await session.send('Page.getFrameTree');
  const { url, unreachableUrl } = frameTree.frame;
  return unreachableUrl === undefined && /^https?:/.test(url) ? url : null;
}

function causeOf(loading: Loading, visit: FreshPage['visit']): Unreadable {
  if (visit.cutOff) return 'too_large';
  const address = parseUrl(loading.lastUrl);
  if (!address) return 'unreachable';
  if (!/^https?:$/.test(address.protocol)) return 'not_public';
  const failure = visit.failureOf(targetOf(address));
  if (failure) return causes[failure];
  // A document that arrived but is not shown was a download. An error without a body is not readable either.
  return loading.response && loading.response.status < 400 ? 'unsupported' : 'unreachable';
}

function kindOf(mimeType: string): LoadedPage['kind'] | null {
  if (mimeType === 'text/html' || mimeType === 'application/xhtml+xml') return 'html';
  return /^(text\/|application\/(json|xml|[a-z0-9.-]+\+(json|xml))$)/.test(mimeType) ? 'text' : null;
}
