import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { CDPSession } from 'puppeteer-core';
import { z } from 'zod';
import { readerPdfPagesMax } from '@/lib/catalog/research';
import { packageFolder } from '@/lib/platform/chromium/binary';
import { type PdfOptions, readPdf } from './in-page/pdf';
import { joinLines, linesOf, paragraphsOf, removeFurniture } from './in-page/pdf-lines';
import { blocksOfTags } from './in-page/pdf-tags';
import { pageLimits } from './page-limits';

const line = z.string().max(pageLimits.lineLengthMax);
const word = line.optional();

/** The result, which is parsed strictly because a hostile file may have taken over the browser process. */
const readResult = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.enum(['protected', 'damaged', 'without_text']) }),
  z.strictObject({
    kind: z.literal('read'),
    pages: z.int().min(1),
    pagesRead: z.int().min(1).max(readerPdfPagesMax),
    metadata: z.strictObject({
      title: word,
      description: word,
      keywords: word,
      author: word,
      language: word,
    }),
    markdown: z.string().max(pageLimits.charactersMax),
    paragraphs: z.array(line).max(200),
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
    expression: await toolSource(),
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

let tools: Promise<string> | undefined;

/** The source text of a function that reads a PDF. Read once. */
function toolSource(): Promise<string> {
  tools ??= readTools();
  return tools;
}

/** What a module exports at its end: names of its own, which may be exported under others. */
const exported = /export\s*\{([^{}]*)\};?\s*$/;

/** pdf.js as unpdf bundles it, in one module without a worker. As a script it may neither export nor know its address. */
async function readTools(): Promise<string> {
  const module = await readFile(path.join(packageFolder('unpdf'), 'dist/pdfjs.mjs'), 'utf8');
  const getDocument = /([\w$]+)\s+as\s+getDocument\b/.exec(exported.exec(module)?.[1] ?? '')?.[1];
  const pdfjs = module.replace(exported, '').replaceAll('import.meta.url', "''");
  // Some compilers wrap functions in a call of this name to keep their names.
  return `(() => {
const __name = (named) => named;
${pdfjs}
const tools = { getDocument: ${getDocument ?? 'getDocument'}, linesOf: ${linesOf}, joinLines: ${joinLines}, paragraphsOf: ${paragraphsOf}, removeFurniture: ${removeFurniture}, blocksOfTags: ${blocksOfTags} };
return (base64, options) => (${readPdf})(base64, options, tools);
})()`;
}
