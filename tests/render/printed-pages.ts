import { getDocumentProxy } from 'unpdf';
import type { PrintingPool } from '@/lib/services/render/chromium/printing-pool';
import { someone } from '../support/clients';
import { squeezed } from './pdf-text';

/** A printed document, with where its text ends on each page, as a share of the page's width. */
export async function printedPages(pool: PrintingPool, html: string) {
  const result = await pool.print(someone, html);
  if (result.kind !== 'printed') throw new Error(result.kind);
  const document = await getDocumentProxy(new Uint8Array(result.document.pdf));
  const pages: { text: string; left: number; right: number; textHeight: number }[] = [];
  for (let number = 1; number <= document.numPages; number += 1) {
    const page = await document.getPage(number);
    const { width } = page.getViewport({ scale: 1 });
    const { items } = await page.getTextContent();
    const texts = items.flatMap((item) => ('str' in item && item.str.trim() !== '' ? [item] : []));
    pages.push({
      text: squeezed(texts.map(({ str }) => str).join('')),
      left: Math.min(1, ...texts.map(({ transform }) => transform[4] / width)),
      right: Math.max(0, ...texts.map(({ transform, width: wide }) => (transform[4] + wide) / width)),
      textHeight: Math.max(0, ...texts.map(({ height }) => height)),
    });
  }
  return { pages, cut: result.document.cut };
}
