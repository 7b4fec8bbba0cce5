import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { CDPSession } from 'puppeteer-core';
import { z } from 'zod';
import { packageFolder } from '@/lib/chromium/binary';
import { cleanPage } from './in-page/clean';
import { extractPage, type Wanted } from './in-page/extract';
import { toMarkdown } from './in-page/markdown';

const word = z.string().max(4_096).optional();

/** What comes out of a page: from a process that a stranger's page may have taken over. */
const extracted = z.object({
  url: z.string().max(4_096),
  metadata: z.strictObject({
    title: word,
    description: word,
    language: word,
    keywords: word,
    author: word,
    ogTitle: word,
    ogDescription: word,
    ogUrl: word,
    ogImage: word,
    ogSiteName: word,
    publishedTime: word,
    modifiedTime: word,
  }),
  markdown: z.string().optional(),
  paragraphs: z.array(z.string().max(4_096)).max(200).optional(),
  rawHtml: z.string().optional(),
  links: z.array(z.string()).optional(),
});
export type Extracted = z.output<typeof extracted>;

/**
 * Takes out of the page that is shown what is wanted. Readability and Turndown run inside the browser, on its own document and
 * under its limits: a stranger's page is never parsed in our process and cannot hold it up.
 */
export async function extract(session: CDPSession, frameId: string, wanted: Wanted): Promise<Extracted> {
  const { executionContextId } = await session.send('Page.createIsolatedWorld', {
    frameId,
    worldName: 'reader',
  });
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    contextId: executionContextId,
    expression: `${await toolSource()}(${JSON.stringify(wanted)})`,
    returnByValue: true,
  });
  if (exceptionDetails) throw new Error('the page could not be taken apart');
  const page = extracted.parse(result.value);
  const { charactersMax, linksMax } = wanted;
  return {
    ...page,
    markdown: page.markdown?.slice(0, charactersMax),
    rawHtml: page.rawHtml?.slice(0, charactersMax),
    links: page.links?.slice(0, linksMax),
  };
}

let tools: Promise<string> | undefined;

/** A function of `wanted`, with everything that it needs, as source text; read from the packages once. */
function toolSource(): Promise<string> {
  tools ??= readTools();
  return tools;
}

async function readTools(): Promise<string> {
  const read = (name: string, file: string) => readFile(path.join(packageFolder(name), file), 'utf8');
  const [readability, turndown] = await Promise.all([
    read('@mozilla/readability', 'Readability.js'),
    read('turndown', 'dist/turndown.js'),
  ]);
  // Some compilers wrap functions in a call of this name to keep theirs.
  return `((wanted) => {
const __name = (named) => named;
const module = undefined;
${readability}
${turndown}
const tools = { Readability, Turndown: TurndownService, cleanPage: ${cleanPage}, toMarkdown: ${toMarkdown} };
return (${extractPage})(wanted, tools);
})`;
}
