import type { CDPSession, Protocol } from 'puppeteer-core';
import type { Platform } from '@/lib/platform/platform';

/** So long nothing may have been loading before a page counts as finished. */
const quietMs = 500;
/** A request that takes longer is not waited for: some are held open by intention, and the end of some is not told. */
const patienceMs = 3_000;
/** A page that goes on to another by itself may do so this often. */
const documentsMax = 20;
/** Kept open by design, or of no interest for what the page says. */
const unwatched = new Set<string>([
  'EventSource',
  'WebSocket',
  'Ping',
  'Media',
  'Prefetch',
  'CSPViolationReport',
]);

/** What the server said of the document that is shown, or last was to be. */
export interface DocumentResponse {
  readonly requestId: string;
  readonly status: number;
  readonly mimeType: string;
  readonly contentType: string;
}

/** Follows what the main frame of a page shows and what is still under way. */
export class Loading {
  readonly #app: Platform;
  /** Where the main frame went last, redirects included. */
  lastUrl: string;
  response: DocumentResponse | null = null;
  /** Whether the load event of the document that is shown has fired. */
  isLoaded = false;
  documents = 0;
  readonly #frameId: string;
  readonly #underWay = new Map<string, number>();
  #busyAt: number;

  constructor(app: Platform, session: CDPSession, frameId: string, url: string) {
    this.#app = app;
    this.#busyAt = app.clock.now();
    this.#frameId = frameId;
    this.lastUrl = url;
    session.on('Network.requestWillBeSent', (event) => this.#onRequest(event));
    session.on('Network.responseReceived', (event) => this.#onResponse(event));
    session.on('Network.loadingFinished', ({ requestId }) => this.#onEnd(requestId));
    session.on('Network.loadingFailed', ({ requestId }) => this.#onEnd(requestId));
    session.on('Page.loadEventFired', () => {
      this.isLoaded = true;
      this.#busyAt = this.#app.clock.now();
    });
  }

  get hasTooManyDocuments(): boolean {
    return this.documents > documentsMax;
  }

  /** Resolves when the page is loaded and quiet, or at the deadline. @returns whether it was finished */
  async finished(deadline: number, isCutOff: () => boolean): Promise<boolean> {
    while (this.#app.clock.now() < deadline && !this.hasTooManyDocuments && !isCutOff()) {
      if (this.isLoaded && !this.#isBusy() && this.#app.clock.now() - this.#busyAt >= quietMs) return true;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return false;
  }

  #isBusy(): boolean {
    return [...this.#underWay.values()].some((since) => this.#app.clock.now() - since < patienceMs);
  }

  #onRequest({ requestId, type, frameId, request }: Protocol.Network.RequestWillBeSentEvent): void {
    if (type === 'Document' && frameId === this.#frameId) {
      this.documents += 1;
      this.lastUrl = request.url;
      this.isLoaded = false;
      this.#underWay.clear();
    }
    if (type === undefined || unwatched.has(type)) return;
    this.#underWay.set(requestId, this.#app.clock.now());
    this.#busyAt = this.#app.clock.now();
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
    if (this.#underWay.delete(requestId)) this.#busyAt = this.#app.clock.now();
  }
}
