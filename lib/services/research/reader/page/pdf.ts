import type { CDPSession } from 'puppeteer-core';
import { z } from 'zod';
import { readerPdfPagesMax } from '@/lib/catalog/research';
import type { PdfOptions } from './in-page/pdf';
import { inPageScript } from './in-page-script';
import { pageLimits } from './page-limits';

const line = z.string().max(pageLimits.lineLengthMax);
const word = line.optional();

const pageNumbers = z.array(z.int().min(1).max(readerPdfPagesMax)).max(readerPdfPagesMax);

/** The result, which is parsed strictly because a hostile file may have taken over the browser process. */
const readResult = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.enum(['protected', 'damaged', 'without_text']) }),
  z.strictObject({
    kind: z.literal('read'),
    pages: z.int().min(1),
    pagesRead: z.int().min(1).max(readerPdfPagesMax),
    damaged: pageNumbers,
    withoutText: pageNumbers,
    metadata: z.strictObject({
      title: word,
      description: word,
      keywords: word,
      author: word,
      language: word,
    }),
    markdown: z.string().max(pageLimits.charactersMax),
    links: z.array(line).max(pageLimits.linksMax),
  }),
]);
export type PdfText = z.output<typeof readResult>;

/**
 * Reads the first pages of a PDF. pdf.js runs inside the browser with its limits, so a hostile file is never parsed in our
 * process.
 * @param timeMs how long it may take. Pages that are read by then are returned.
 */
export async function extractPdf(
  session: CDPSession,
  frameId: string,
  base64: string,
  timeMs: number,
): Promise<PdfText> {
  const { executionContextId } = await session.send('Page.createIsolatedWorld', {
    frameId,
    worldName: 'reader',
  });
  const options: PdfOptions = { ...pageLimits, pagesMax: readerPdfPagesMax, timeMs };
  const loaded = await session.send('Runtime.evaluate', {
    contextId: executionContextId,
    expression: `(() => { ${await inPageScript('pdf')}\nreturn inPage.readPdf; })()`,
  });
  const { objectId } = loaded.result;
  if (objectId === undefined) throw new Error('pdf.js could not be loaded');
  const { result, exceptionDetails } = await session.send('Runtime.callFunctionOn', {
    objectId,
    functionDeclaration: 'function (base64, options) { return this(base64, options); }',
    arguments: [{ value: base64 }, { value: options }],
    awaitPromise: true,
    returnByValue: true,
  });
  if (exceptionDetails) throw new Error('the PDF could not be read');
  return readResult.parse(result.value);
}
