import type { CDPSession, Protocol } from 'puppeteer-core';

/** A name that is never resolved. The document is returned as its response. */
const documentUrl = 'https://document.invalid/';
const inchPerMm = 1 / 25.4;
/** A PDF may have 20 pages. Page 21 shows that there are too many, and no more need to be printed. */
const pageRanges = '1-21';

/** The document's permissions, in addition to the browser's isolation. */
const headers: Protocol.Fetch.HeaderEntry[] = [
  { name: 'Content-Type', value: 'text/html; charset=utf-8' },
  {
    name: 'Content-Security-Policy',
    value:
      "default-src 'none'; img-src data:; font-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; sandbox",
  },
  { name: 'Referrer-Policy', value: 'no-referrer' },
  { name: 'X-DNS-Prefetch-Control', value: 'off' },
];

/**
 * Loads a document in a new page and prints it on A4. The page size is ours (`preferCSSPageSize` off): `@page` may
 * rotate the page and set margins, and other sizes are scaled to A4. Every request but the document is refused.
 */
export async function printDocument(session: CDPSession, html: string): Promise<Buffer> {
  const body = Buffer.from(html, 'utf8').toString('base64');
  let isDelivered = false;
  session.on('Fetch.requestPaused', ({ requestId, request }) => {
    const isDocument = !isDelivered && request.url === documentUrl;
    isDelivered ||= isDocument;
    const answer = isDocument
      ? session.send('Fetch.fulfillRequest', { requestId, responseCode: 200, responseHeaders: headers, body })
      : session.send('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' });
    // The page may be gone by then.
    answer.catch(() => undefined);
  });
  await session.send('Page.enable');
  const loaded = new Promise<void>((resolve) => session.once('Page.loadEventFired', () => resolve()));
  const { errorText } = await session.send('Page.navigate', { url: documentUrl });
  if (errorText) throw new Error(`the document was not shown: ${errorText}`);
  await loaded;
  const { stream } = await session.send('Page.printToPDF', {
    printBackground: true,
    paperWidth: 210 * inchPerMm,
    paperHeight: 297 * inchPerMm,
    preferCSSPageSize: false,
    generateTaggedPDF: true,
    generateDocumentOutline: true,
    pageRanges,
    transferMode: 'ReturnAsStream',
  });
  if (stream === undefined) throw new Error('the browser returned no PDF');
  return readStream(session, stream);
}

/** A PDF may have 10 MiB. One chunk more shows that it is too large. */
const bytesMax = 10_485_760;
const chunkBytes = 1 << 20;

async function readStream(session: CDPSession, handle: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  while (length <= bytesMax) {
    const { data, base64Encoded, eof } = await session.send('IO.read', { handle, size: chunkBytes });
    const chunk = Buffer.from(data, base64Encoded ? 'base64' : 'utf8');
    chunks.push(chunk);
    length += chunk.length;
    if (eof) break;
  }
  await session.send('IO.close', { handle });
  return Buffer.concat(chunks);
}
