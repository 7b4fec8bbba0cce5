import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { packageFolder } from '@/lib/platform/chromium/binary';
import { inPageScript } from '@/lib/services/research/reader/page/in-page-script';
import { fullTierScripts } from '@/tests/support/full-tier-packages';
import { readMarkdown, type ShownPage } from '@/tests/support/offline-pages';

/** Reads the content of a shown page as Markdown. */
export type Reader = (page: ShownPage) => Promise<string>;

/** A reader whose HTML is turned into Markdown by the same rules as ours. `code` is an expression with HTML as its value. */
async function readerOf(script: string, code: string): Promise<Reader> {
  const [library, ours] = await Promise.all([readFile(script, 'utf8'), inPageScript('page')]);
  const expression = `(() => {
${ours}
const module = undefined, exports = undefined, define = undefined;
${library}
const html = ${code};
const { body } = new DOMParser().parseFromString(html ?? '', 'text/html');
return inPage.toMarkdown(body);
})()`;
  return async ({ session, frameId }) => {
    const { executionContextId } = await session.send('Page.createIsolatedWorld', { frameId });
    const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
      contextId: executionContextId,
      expression,
      returnByValue: true,
    });
    // A reader that fails has read nothing.
    return exceptionDetails || typeof result.value !== 'string' ? '' : result.value;
  };
}

/** By name, how each reader is opened. Ours first: it works on a copy of the page, and the others change the page. */
const readers: readonly (readonly [name: string, open: () => Promise<Reader>])[] = [
  ['ours', async () => readMarkdown],
  [
    'readability',
    () =>
      readerOf(
        path.join(packageFolder('@mozilla/readability'), 'Readability.js'),
        'new Readability(document.cloneNode(true)).parse()?.content',
      ),
  ],
  [
    'defuddle',
    () =>
      readerOf(
        fullTierScripts.defuddle,
        'new globalThis.Defuddle(document, { url: document.URL }).parse().content',
      ),
  ],
];

/** @param names the readers that are opened; undefined for all */
export async function openReaders(
  names: readonly string[] | undefined,
): Promise<ReadonlyMap<string, Reader>> {
  const wanted = readers.filter(([name]) => names?.includes(name) ?? true);
  return new Map(await Promise.all(wanted.map(async ([name, open]) => [name, await open()] as const)));
}
