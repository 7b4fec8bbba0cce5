import type { CDPSession, Protocol } from 'puppeteer-core';
import type { BotIdentity } from '../bot-identity';
import type { DocumentResponse } from './loading';
import { type TextType, textTypeOf } from './text-types';

type Identity = Pick<BotIdentity, 'headersFor'>;

/** A PDF that came instead of a page. */
export interface DownloadedPdf {
  readonly base64: string;
  readonly url: string;
  readonly response: Omit<DocumentResponse, 'requestId'>;
}

/** How much of a file is asked for at a time. */
const chunkBytes = 1024 * 1024;

/** A text that came instead of a page. */
interface ShownText extends TextType {
  /** The header as the site sent it. */
  readonly contentType: string;
}

/**
 * Sees what the main frame is about to show. Chromium would only offer to save a PDF or most types of text. A PDF is taken,
 * and an empty page is shown instead; such a text is shown as plain text. The bytes pass the egress proxy, which counts them, like
 * those of any page.
 */
export class MainResponse {
  readonly #session: CDPSession;
  readonly #frameId: string;
  pdf: DownloadedPdf | null = null;
  /** What the shown document is, if it is text. */
  text: ShownText | null = null;

  readonly #identity: Identity | null;

  private constructor(session: CDPSession, frameId: string, identity: Identity | null) {
    this.#session = session;
    this.#frameId = frameId;
    this.#identity = identity;
  }

  /** @param identity signs the requests for what the main frame shows; null leaves them unsigned */
  static async watch(session: CDPSession, frameId: string, identity: Identity | null): Promise<MainResponse> {
    const main = new MainResponse(session, frameId, identity);
    session.on('Fetch.requestPaused', (event) => {
      main.#answer(event).catch(() => undefined);
    });
    await session.send('Fetch.enable', {
      patterns: [
        { urlPattern: '*', resourceType: 'Document', requestStage: 'Response' },
        ...(identity
          ? [{ urlPattern: '*', resourceType: 'Document', requestStage: 'Request' } as const]
          : []),
      ],
    });
    return main;
  }

  async #answer(event: Protocol.Fetch.RequestPausedEvent): Promise<void> {
    const { requestId, frameId, request, responseStatusCode: status = 0, responseErrorReason } = event;
    if (this.#identity && status === 0 && responseErrorReason === undefined)
      return this.#sign(this.#identity, event);
    const headerOf = (name: string) =>
      event.responseHeaders?.find((header) => header.name.toLowerCase() === name)?.value;
    const contentType = headerOf('content-type') ?? '';
    const disposition = headerOf('content-disposition');
    // A redirect, or no response.
    const isOther = status < 200 || (status >= 300 && status < 400);
    if (frameId !== this.#frameId || isOther) {
      await this.#session.send('Fetch.continueRequest', { requestId });
    } else if (isPdf(contentType, request.url, disposition)) {
      await this.#takePdf(event, contentType);
    } else {
      const type = textTypeOf(contentType, request.url, disposition);
      this.text = type && { ...type, contentType };
      if (type === null || type.isShown) await this.#session.send('Fetch.continueRequest', { requestId });
      else await this.#showAsText(requestId, status, contentType);
    }
  }

  /** A redirect pauses again, as a request of its own. */
  async #sign(
    identity: Identity,
    { requestId, frameId, request }: Protocol.Fetch.RequestPausedEvent,
  ): Promise<void> {
    const signed = frameId === this.#frameId ? identity.headersFor(request.url) : {};
    const headers = Object.entries({ ...request.headers, ...signed }).map(([name, value]) => ({
      name,
      value,
    }));
    await this.#session.send('Fetch.continueRequest', { requestId, headers });
  }

  async #showAsText(requestId: string, status: number, contentType: string): Promise<void> {
    const charset = /;\s*charset\s*=[^;]*/i.exec(contentType)?.[0] ?? '';
    await this.#show(requestId, status, `text/plain${charset}`, await this.#bodyOf(requestId));
  }

  async #takePdf(
    { requestId, request, responseStatusCode: status = 0 }: Protocol.Fetch.RequestPausedEvent,
    contentType: string,
  ): Promise<void> {
    const base64 = await this.#bodyOf(requestId);
    const mimeType = 'application/pdf';
    this.pdf = {
      base64,
      url: request.url,
      response: { status, mimeType, contentType: contentType || mimeType },
    };
    await this.#show(requestId, 200, 'text/html', '');
  }

  async #show(requestId: string, responseCode: number, contentType: string, body: string): Promise<void> {
    const responseHeaders = [{ name: 'Content-Type', value: contentType }];
    await this.#session.send('Fetch.fulfillRequest', { requestId, responseCode, responseHeaders, body });
  }

  /** The whole body in Base64. */
  async #bodyOf(requestId: string): Promise<string> {
    const { stream: handle } = await this.#session.send('Fetch.takeResponseBodyAsStream', { requestId });
    const chunks: Buffer[] = [];
    for (;;) {
      const { data, base64Encoded, eof } = await this.#session.send('IO.read', { handle, size: chunkBytes });
      chunks.push(Buffer.from(data, base64Encoded ? 'base64' : 'utf8'));
      if (eof) break;
    }
    await this.#session.send('IO.close', { handle });
    return Buffer.concat(chunks).toString('base64');
  }
}

/** Some servers do not know the type of PDFs, or call it otherwise. */
function isPdf(contentType: string, url: string, disposition: string | undefined): boolean {
  const mimeType = (contentType.toLowerCase().split(';')[0] ?? '').trim();
  if (/^(applications?|text)\/(x-|vnd\.)?(pdf|acrobat)$/.test(mimeType)) return true;
  const isUnknown =
    /^((application|binary)\/(octet-stream|force-download|x-download|download|unknown)|)$/.test(mimeType);
  const { pathname, searchParams } = new URL(url);
  return (
    isUnknown && [pathname, ...searchParams.values(), disposition ?? ''].some((name) => /\.pdf\b/i.test(name))
  );
}
