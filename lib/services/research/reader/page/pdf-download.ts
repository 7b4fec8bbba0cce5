import type { CDPSession, Protocol } from 'puppeteer-core';
import type { DocumentResponse } from './loading';

/** A PDF that came instead of a page. */
export interface DownloadedPdf {
  readonly base64: string;
  readonly url: string;
  readonly response: Omit<DocumentResponse, 'requestId'>;
}

/** How much of a file is asked for at a time. */
const chunkBytes = 1024 * 1024;

/**
 * Takes a PDF that the main frame is about to show, and shows an empty page instead: Chromium without its viewer would only
 * offer to save the file. The bytes pass the egress proxy, which counts them, like those of any page.
 */
export class PdfDownload {
  readonly #session: CDPSession;
  readonly #frameId: string;
  pdf: DownloadedPdf | null = null;

  private constructor(session: CDPSession, frameId: string) {
    this.#session = session;
    this.#frameId = frameId;
  }

  static async watch(session: CDPSession, frameId: string): Promise<PdfDownload> {
    const download = new PdfDownload(session, frameId);
    session.on('Fetch.requestPaused', (event) => {
      download.#answer(event).catch(() => undefined);
    });
    await session.send('Fetch.enable', {
      patterns: [{ urlPattern: '*', resourceType: 'Document', requestStage: 'Response' }],
    });
    return download;
  }

  async #answer(event: Protocol.Fetch.RequestPausedEvent): Promise<void> {
    const { requestId, frameId, request, responseStatusCode: status = 0 } = event;
    const headerOf = (name: string) =>
      event.responseHeaders?.find((header) => header.name.toLowerCase() === name)?.value;
    const contentType = headerOf('content-type') ?? '';
    const isRedirect = status >= 300 && status < 400;
    if (
      frameId !== this.#frameId ||
      isRedirect ||
      !isPdf(contentType, request.url, headerOf('content-disposition'))
    ) {
      await this.#session.send('Fetch.continueRequest', { requestId });
      return;
    }
    const { stream } = await this.#session.send('Fetch.takeResponseBodyAsStream', { requestId });
    const base64 = await this.#read(stream);
    const mimeType = 'application/pdf';
    this.pdf = {
      base64,
      url: request.url,
      response: { status, mimeType, contentType: contentType || mimeType },
    };
    await this.#session.send('Fetch.fulfillRequest', {
      requestId,
      responseCode: 200,
      responseHeaders: [{ name: 'Content-Type', value: 'text/html' }],
      body: '',
    });
  }

  async #read(handle: string): Promise<string> {
    const chunks: Buffer[] = [];
    for (;;) {
      const { data, base64Encoded, eof } = await this.#session.send('IO.read', { handle, size: chunkBytes });
      chunks.push(Buffer.from(data, base64Encoded ? 'base64' : 'latin1'));
      if (eof) break;
    }
    await this.#session.send('IO.close', { handle });
    return Buffer.concat(chunks).toString('base64');
  }
}

/** Some servers do not know the type of PDFs. */
function isPdf(contentType: string, url: string, disposition: string | undefined): boolean {
  const [mimeType = ''] = contentType.toLowerCase().split(';');
  if (/^application\/(x-)?pdf$/.test(mimeType.trim())) return true;
  const isUnknown = /^(application\/(octet-stream|force-download|x-download)|binary\/octet-stream|)$/.test(
    mimeType.trim(),
  );
  return isUnknown && (/\.pdf$/i.test(new URL(url).pathname) || /\.pdf\b/i.test(disposition ?? ''));
}
