import { extractText, getDocumentProxy, getMeta } from 'unpdf';

/** The text and metadata of a PDF. */
export async function readPdf(pdf: Uint8Array) {
  const document = await getDocumentProxy(new Uint8Array(pdf));
  const { text } = await extractText(document, { mergePages: true });
  const { info } = await getMeta(document);
  const sizes: { width: number; height: number }[] = [];
  for (let number = 1; number <= document.numPages; number += 1) {
    const page = await document.getPage(number);
    const { width, height } = page.getViewport({ scale: 1 });
    sizes.push({ width, height });
  }
  const source = Buffer.from(pdf).toString('latin1');
  const fonts = [...source.matchAll(/\/FontName \/(?:[A-Z]{6}\+)?([^\s/]+)/g)].map(([, name = '']) => name);
  return { text, info: info as Record<string, unknown>, sizes, fonts, pages: document.numPages };
}

/** A heading in a PDF's outline, and the headings below it. */
export interface Bookmark {
  readonly title: string;
  /** The page number, counted from 1. */
  readonly page: number;
  readonly items: readonly Bookmark[];
}

/** The outline of a PDF; empty if it has none. */
export async function readOutline(pdf: Uint8Array): Promise<readonly Bookmark[]> {
  const document = await getDocumentProxy(new Uint8Array(pdf));
  type Items = NonNullable<Awaited<ReturnType<typeof document.getOutline>>>;
  const bookmarksOf = (items: Items): Promise<Bookmark[]> =>
    Promise.all(
      items.map(async ({ title, dest, items: below }) => {
        const target = typeof dest === 'string' ? await document.getDestination(dest) : dest;
        const page = 1 + (await document.getPageIndex(target?.[0]));
        return { title, page, items: await bookmarksOf(below) };
      }),
    );
  return bookmarksOf((await document.getOutline()) ?? []);
}

/** Text without white space, which PDF readers insert wherever glyphs are apart. */
export const squeezed = (text: string) => text.normalize('NFKC').replace(/\s+/g, '');
