import { all, lengthOf, linkShare, outermostOf, removeNamed, textOf } from './dom';
import { findItems } from './items';
import { endOfProse, findCardGroups } from './lists';

/** Headings of links that belong to the text above them. */
const sources =
  /references?|sources?|resources?|bibliograph|footnotes?|notes|citations?|further reading|see also|external links|links|downloads?|attachments?|literatur|quellen|weblinks|siehe auch|références|voir aussi|fuentes|referencias|véase|fonti|bibliografia|riferimenti|źródła|литература|примечания|ссылки|参考|関連項目/i;

/** A line of what an article is filed under. */
const labels =
  /^(posted (in|under)|tagged( with| as)?|tags?|filed (under|in)|categor(y|ies)|(related )?topics?|keywords?|schlagw[oö]rter|themen|mots[- ]clés|catégories?|etiquetas|categorías?|tag|categorie|теги|метки|рубрика)\b.{0,200}$/i;

/**
 * Removes from a page what stands below its text and leads elsewhere: cards of other pages, lists of links.
 */
export function removeLinksBelow(main: Element): void {
  const wholeLength = lengthOf(main);
  const lengthMin = Math.max(1_000, 0.6 * wholeLength);
  // Most pages that have too little text are found without looking for cards.
  if ((endOfProse(main, [])?.length ?? 0) < lengthMin) return;
  const cards = findCardGroups(main).flat();
  const prose = endOfProse(main, cards);
  if (!prose || prose.length < lengthMin) return;
  const { end, last } = prose;
  const isBelow = (element: Element, block: Element) =>
    block.compareDocumentPosition(element) === Node.DOCUMENT_POSITION_FOLLOWING;
  const headings = all('h1, h2, h3, h4, h5, h6, strong, b, dt', main);
  const headingAbove = (element: Element) =>
    textOf(headings.findLast((one) => isBelow(element, one)) ?? null);
  const links = all('ul, ol, div, section, p, table, a[href]', main).filter(
    (box) =>
      isBelow(box, last) &&
      lengthOf(box) > 0 &&
      (box.nodeName === 'A' || linkShare(box) >= 0.8 || labels.test(textOf(box))) &&
      !isPartOfText(box, last) &&
      !sources.test(headingAbove(box)),
  );
  const found = [...cards.filter((card) => isBelow(card, end)), ...links];
  const outermost = outermostOf(found);
  // More than that is what the page is about.
  if (outermost.reduce((sum, one) => sum + lengthOf(one), 0) > 0.25 * wholeLength) return;
  for (const one of outermost) removeWithHeading(one, main);
}

/** Whether a list or a link belongs to the text before it. */
function isPartOfText(box: Element, last: Element): boolean {
  const list = box.closest('ul, ol');
  if (!list && box.nodeName === 'A')
    return [...(box.parentElement?.closest('p, div, section')?.childNodes ?? [])].some(
      (node) => node.nodeType === Node.TEXT_NODE && /\p{L}/u.test(node.textContent ?? ''),
    );
  let before = list?.previousElementSibling ?? null;
  while (before && textOf(before) === '') before = before.previousElementSibling;
  return before === last;
}

/** Removes an element, and headings above it that are left without a text. */
function removeWithHeading(element: Element, main: Element): void {
  const parent = element.parentElement;
  let before = element.previousElementSibling;
  element.remove();
  while (before && textOf(before) === '') before = before.previousElementSibling;
  if (before && /^H[2-6]$/.test(before.nodeName)) {
    const next = following(before);
    if (next === null || /^H[1-6]$/.test(next.nodeName)) before.remove();
  }
  if (!parent || parent === main || !main.contains(parent)) return;
  const heading = parent.querySelector('h2, h3, h4, h5, h6');
  if (textOf(parent) === '' || (heading && textOf(heading) === textOf(parent)))
    removeWithHeading(parent, main);
}

/** The next element with a text. */
function following(element: Element): Element | null {
  let next = element.nextElementSibling;
  while (next && textOf(next) === '') next = next.nextElementSibling;
  return next;
}

/** Removes from the page of a product the cards of other products. */
export function removeOtherProducts(main: Element): void {
  const title = main.querySelector('h1');
  const here = document.URL.replace(/[?#].*$/, '');
  const isOther = (card: Element) => {
    const link = card.matches('a[href]') ? card : card.querySelector('a[href]');
    return (
      (link?.getAttribute('href') ?? '').replace(/[?#].*$/, '') !== here &&
      title !== null &&
      title.compareDocumentPosition(card) === Node.DOCUMENT_POSITION_FOLLOWING
    );
  };
  const others = findCardGroups(main)
    .filter((group) => group.every(isOther))
    .flat();
  const price = /[$€£¥]\s?\d|\d\s?[$€£]/;
  /** Items with a price, an image and a link to another page. */
  const priced = findItems(main, 2)
    .map((group) => group.filter((item) => price.test(textOf(item)) && lengthOf(item) < 800 && isOther(item)))
    .filter((group) => group.length >= 2 && group.some((item) => item.querySelector('img') !== null))
    .filter((group) => group.reduce((sum, item) => sum + lengthOf(item), 0) < 0.5 * lengthOf(main));
  for (const card of [...others, ...priced.flat()]) if (card.isConnected) removeWithHeading(card, main);
}

/** Boxes of a product's page with its choices, with other products, or with what holds for all that the shop sells. */
const choices = {
  words: [
    'quantity',
    'qty',
    'variant',
    'variation',
    'option',
    'selector',
    'upsell',
    'cross',
    'related',
    'recommend',
    'compar',
    'banner',
    'shipping',
    'delivery',
    'guarantee',
    'payment',
    'financing',
    'proposition',
  ],
  name: /(^|[^a-z])(quantity|qty|vari(ation|ant)s?|options?|selectors?|upsells?|cross-?sells?|related|recommend(ed|ations?)|compar(e|ison)|banners?|shipping|delivery|guarantees?|payments?|financing|propositions?)([^a-z]|$)/i,
  shareMax: 0.25,
};

/** Removes from the page of a product the fields for an order: forms and labels of choices. */
export function removeOrderFields(main: Element): void {
  for (const element of all('form, label, legend', main)) {
    const share = element.nodeName === 'FORM' ? 0.25 * lengthOf(main) : 100;
    if (lengthOf(element) < share && element.querySelector('h1, article') === null) element.remove();
  }
  removeNamed(main, choices);
}
