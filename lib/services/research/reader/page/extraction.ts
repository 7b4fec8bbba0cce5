import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { CDPSession } from 'puppeteer-core';
import { z } from 'zod';
import { packageFolder } from '@/lib/platform/chromium/binary';
import { removeBeside } from './in-page/beside';
import { cleanPage } from './in-page/clean';
import { copyPage } from './in-page/copy';
import { type ExtractOptions, extractPage } from './in-page/extract';
import { texOf } from './in-page/formulas';
import { repeatSpannedCells } from './in-page/grid';
import { isListOfPages } from './in-page/lists';
import { toMarkdown } from './in-page/markdown';
import { measure } from './in-page/measure';
import { showMedia } from './in-page/media';
import { removeRepeats } from './in-page/repeats';
import { removeOtherSections } from './in-page/sections';
import { spellOut } from './in-page/spell-out';
import { readStructuredData } from './in-page/structured-data';
import { removeMemberDetails } from './in-page/threads';
import { pageLimits } from './page-limits';

const { charactersMax, linksMax, lineLengthMax } = pageLimits;
const line = z.string().max(lineLengthMax);
const word = line.optional();
/** All links together may have as many characters as a text. */
const areShort = (links: readonly string[]) =>
  links.reduce((sum, link) => sum + link.length, 0) <= charactersMax;

/** The result, which is parsed strictly because a hostile page may have taken over the browser process. */
const extracted = z.object({
  url: line,
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
  paragraphs: z.array(line).max(200).optional(),
  rawHtml: z.string().optional(),
  links: z.array(line).max(linksMax).refine(areShort).optional(),
});
export type Extracted = z.output<typeof extracted>;

/**
 * Extracts what is wanted from the shown page. Readability and Turndown run inside the browser with its limits, so a
 * hostile page is never parsed in our process.
 */
export async function extract(
  session: CDPSession,
  frameId: string,
  wanted: ExtractOptions,
): Promise<Extracted> {
  const { executionContextId } = await session.send('Page.createIsolatedWorld', {
    frameId,
    worldName: 'reader',
  });
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    contextId: executionContextId,
    expression: `${await toolSource()}(${JSON.stringify(wanted)})`,
    returnByValue: true,
  });
  if (exceptionDetails) throw new Error('the page could not be extracted');
  const page = extracted.parse(result.value);
  return {
    ...page,
    markdown: page.markdown?.slice(0, charactersMax),
    rawHtml: page.rawHtml?.slice(0, charactersMax),
  };
}

let tools: Promise<string> | undefined;

/** The source text of a function of `wanted` with all its code. Read once. */
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
  // Some compilers wrap functions in a call of this name to keep their names.
  return `((wanted) => {
const __name = (named) => named;
const module = undefined;
${readability}
${turndown}
const tools = { Readability, Turndown: TurndownService, copyPage: ${copyPage}, showMedia: ${showMedia}, removeBeside: ${removeBeside}, cleanPage: ${cleanPage}, spellOut: ${spellOut}, readStructuredData: ${readStructuredData}, measure: ${measure}, isListOfPages: ${isListOfPages}, texOf: ${texOf}, repeatSpannedCells: ${repeatSpannedCells}, removeRepeats: ${removeRepeats}, removeOtherSections: ${removeOtherSections}, removeMemberDetails: ${removeMemberDetails}, toMarkdown: ${toMarkdown} };
return (${extractPage})(wanted, tools);
})`;
}
