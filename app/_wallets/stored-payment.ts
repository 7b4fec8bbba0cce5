import { Kept } from './kept';
import type { SignedPayment } from './settle';

/** The signed payment that the browser keeps for a page. All tabs, and the page after a reload, see the same one. */
export function storedPayment(page: string): Kept<SignedPayment> {
  return new Kept(`payment ${page}`, () => localStorage);
}
