import type { CDPSession } from 'puppeteer-core';
import { PdfFile } from '@/lib/services/render/pdf-file';
import { evaluate } from './evaluate';

/** The pages of a printed document that stay, such as `1,3-5`, because others are empty; null if all stay. */
export async function pagesToKeep(session: CDPSession, pdf: Buffer): Promise<string | null> {
  const file = new PdfFile(pdf);
  const count = file.pageCount;
  if (count === 1) return null;
  const empty = new Set(file.emptyPages());
  if (empty.size === 0) return null;
  const numbers = Array.from({ length: count }, (_, index) => index + 1);
  const last = numbers.findLast((number) => !empty.has(number)) ?? 1;
  const isEmptyBetween = (number: number) => number > 1 && number < last && empty.has(number);
  const keepsEmpty =
    numbers.some(isEmptyBetween) && (await evaluate(session, asksForEmptyPage, null)) === true;
  const kept = numbers.filter((number) => number <= last && (keepsEmpty || !isEmptyBetween(number)));
  return kept.length === count ? null : kept.join(',');
}

/** Runs inside the browser: somebody who breaks the page at an element with nothing in it wants an empty page. */
function asksForEmptyPage(): boolean {
  const breaks = /^(page|left|right|recto|verso|always)$/;
  return [...Document.prototype.querySelectorAll.call(document, 'body *')].some((element) => {
    // A form's fields can hide its properties.
    if (!(element instanceof HTMLElement) || element instanceof HTMLFormElement) return false;
    if (element.childElementCount > 0 || (element.textContent ?? '').trim() !== '') return false;
    const { breakAfter, breakBefore, height } = getComputedStyle(element);
    return (breaks.test(breakAfter) || breaks.test(breakBefore)) && Number.parseFloat(height) < 2;
  });
}
