import type { CDPSession, Protocol } from 'puppeteer-core';
import type { Platform } from '@/lib/platform/platform';

/** How long nothing may load before a page counts as finished. */
const quietMs = 500;
/** Requests that take longer are not waited for: some stay open on purpose, and some never report their end. */
const patienceMs = 3_000;
/** How often a page is checked for being finished. */
const checkEveryMs = 50;
/** How often a page may redirect by itself. */
const documentsMax = 20;
/** Requests that stay open by design, or do not affect the text. */
const unwatched = new Set<string>([
  'EventSource',
  'WebSocket',
  'Ping',
  'Media',
  'Prefetch',
  'CSPViolationReport',
]);

/** The response for the document that is shown, or was last requested. */
export interface DocumentResponse {
  readonly requestId: string;
  readonly status: number;
  readonly mimeType: string;
  readonly contentType: string;
}

/** Follows the documents of a page's main frame, and pending requests. */
export class Loading {
  readonly #app: Pick<Platform, 'clock'>;
  /** The main frame's latest URL, after redirects. */
  lastUrl: string;
  response: DocumentResponse | null = null;
  /** Whether the load event of the shown document has fired. */
  isLoaded = false;
  documents = 0;
  readonly #frameId: string;
  readonly #underWay = new Map<string, number>();
  #busyAt: number;

  constructor(app: Pick<Platform, 'clock'>, session: CDPSession, frameId: string, url: string) {
    this.#app = app;
    this.#busyAt = app.clock.monotonic();
    this.#frameId = frameId;
    this.lastUrl = url;
    session.on('Network.requestWillBeSent', (event) => this.#onRequest(event));
    session.on('Network.responseReceived', (event) => this.#onResponse(event));
    session.on('Network.loadingFinished', ({ requestId }) => this.#onEnd(requestId));
    session.on('Network.loadingFailed', ({ requestId }) => this.#onEnd(requestId));
    session.on('Page.loadEventFired', () => {
      this.isLoaded = true;
      this.#busyAt = this.#app.clock.monotonic();
    });
  }

  get hasTooManyDocuments(): boolean {
    return this.documents > documentsMax;
  }

  /** Resolves when the page is loaded and quiet, or at the deadline. @returns whether it was finished */
  async finished(deadline: number, isCutOff: () => boolean): Promise<boolean> {
    while (this.#app.clock.monotonic() < deadline && !this.hasTooManyDocuments && !isCutOff()) {
      if (this.isLoaded && !this.#isBusy() && this.#app.clock.monotonic() - this.#busyAt >= quietMs)
        return true;
      await this.#app.clock.sleep(checkEveryMs);
    }
    return false;
  }

  #isBusy(): boolean {
    return [...this.#underWay.values()].some((since) => this.#app.clock.monotonic() - since < patienceMs);
  }

  #onRequest({ requestId, type, frameId, request }: Protocol.Network.RequestWillBeSentEvent): void {
    if (type === 'Document' && frameId === this.#frameId) {
      this.documents += 1;
      this.lastUrl = request.url;
      this.isLoaded = false;
      this.#underWay.clear();
    }
    if (type === undefined || unwatched.has(type)) return;
    this.#underWay.set(requestId, this.#app.clock.monotonic());
    this.#busyAt = this.#app.clock.monotonic();
  }

  #onResponse({ requestId, type, frameId, response }: Protocol.Network.ResponseReceivedEvent): void {
    if (type !== 'Document' || frameId !== this.#frameId) return;
    const header = Object.entries(response.headers).find(([name]) => name.toLowerCase() === 'content-type');
    this.response = {
      requestId,
      status: response.status,
      mimeType: response.mimeType.toLowerCase(),
      contentType: header?.[1] ?? response.mimeType,
    };
  }

  #onEnd(requestId: string): void {
    if (this.#underWay.delete(requestId)) this.#busyAt = this.#app.clock.monotonic();
  }
}
