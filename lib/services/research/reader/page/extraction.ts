import type { CDPSession } from 'puppeteer-core';
import { z } from 'zod';
import type { ExtractOptions } from './in-page/extract';
import { inPageScript } from './in-page-script';
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
  rawHtml: z.string().optional(),
  html: z.string().optional(),
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
    expression: `(() => { ${await inPageScript('page')}\nreturn inPage.extractPage(${JSON.stringify(wanted)}); })()`,
    returnByValue: true,
  });
  if (exceptionDetails) throw new Error('the page could not be extracted');
  const page = extracted.parse(result.value);
  return {
    ...page,
    markdown: page.markdown?.slice(0, charactersMax),
    html: page.html?.slice(0, charactersMax),
    rawHtml: page.rawHtml?.slice(0, charactersMax),
  };
}
