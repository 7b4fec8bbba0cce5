import { isContentInName } from './clean';
import { all, holdsPage, lengthOf, nameOf, removeNamed, textOf } from './dom';
import { endOfProse } from './lists';

/** Names of boxes that narrow or sort a list. */
const named = /(^|[^a-z])(filters?|facets?|refine(ments?)?|sort(er|ing|by)?)([^a-z]|$)/i;
const controls =
  'input[type="checkbox"], input[type="radio"], input[type="range"], select, [role="checkbox"], [role="radio"], [role="slider"], [role="listbox"]';

/** Removes from lists of products or pages the controls that narrow or sort them. */
export function removeFilters(page: Document): void {
  const wholeLength = lengthOf(page.body ?? page.documentElement);
  for (const box of all('div, section, aside, form, fieldset, details, ul, ol, dl', page)) {
    const name = `${nameOf(box)} ${box.getAttribute('aria-label') ?? ''}`;
    const isNamed = named.test(name) || box.matches('[role="listbox"]');
    if (!box.isConnected || !isNamed || holdsPage(box)) continue;
    if (box.querySelector('a[href] img, article, table, pre') !== null) continue;
    const lines = all('*', box)
      .filter((element) => element.childElementCount === 0)
      .map(textOf)
      .filter((line) => line !== '');
    // How many items are left with a choice.
    const counts = lines.filter((line) => /^(\p{L}.*\s)?\(?\d[\d,.]*\)?$/u.test(line));
    const isCounted = counts.length >= 3 && counts.length > 0.3 * lines.length;
    if (lines.some((line) => line.length > 80) || lengthOf(box) > (isCounted ? 0.9 : 0.3) * wholeLength)
      continue;
    if (isCounted || box.matches(controls) || box.querySelector(controls) !== null) box.remove();
  }
}

const hints = {
  words: ['navigation', 'actions', 'tooltip', 'tool-tip'],
  name: /(^|[^a-z])(navigation|actions|tool-?tips?)([^a-z]|$)/i,
  shareMax: 0.2,
};
/** Forms, the foot of a page, rights, what readers think of it, and small bars that stay in view. */
const surroundings = {
  words: ['form', 'footer', 'copyright', 'feedback', 'survey', 'helpful', 'sticky'],
  name: /(^|[^a-z])(forms?|footers?|copyright|feedback|survey|helpful|sticky)([^a-z]|$)/i,
  shareMax: 0.25,
};
/** A text has these, but not what stands around it. */
const text =
  'table, pre, time, [rel~="author"], [itemprop~="author"], [class*="author" i], [class*="date" i]';
/** Only a large box of these names is content. */
const ofShort = /(^|[^a-z])(feedback|survey|helpful|sticky)([^a-z]|$)/i;
const shortMax = 200;
/** Boxes with other pages. */
const others = {
  words: ['recent', 'related', 'popular', 'trending', 'recommendation', 'similar', 'upsell', 'crosssell'],
  name: /(^|[^a-z])(recent|related|popular|trending|recommendations?|similar|upsells?|crosssells?)([^a-z]|$)/i,
  shareMax: 0.4,
};
/** What stands below a text by these names is none of it. */
const ofEnd = {
  words: ['links', 'sidebar'],
  name: /(^|[^a-z])(links|sidebars?)([^a-z]|$)/i,
  shareMax: 0.25,
};

/**
 * Removes from the main part boxes that are named as controls or hints, unless they tell a price, forms, and what stands
 * around a text: the foot of a page, other pages.
 * @param isList whether the page is a list of others
 */
export function removeControls(main: Element, isList: boolean): void {
  const hint = '[class*="tooltip" i]';
  const hasPrice = (box: Element) => /[$€£¥]/.test(textOf(box));
  removeNamed(main, hints, (box) => hasPrice(box) || (box.matches(hint) && box.querySelector(hint) !== null));
  let known: ReturnType<typeof endOfProse>;
  /** Where a box stands to the last paragraph: above, below, or around it if there is one. */
  const placeOf = (box: Element) => {
    known ??= endOfProse(main, []);
    if (known === undefined || box.contains(known.last)) return 'around';
    const place = known.last.compareDocumentPosition(box);
    return (place & Node.DOCUMENT_POSITION_PRECEDING) === 0 ? 'below' : 'above';
  };
  /** Whether a box between the paragraphs of a text has nothing but its name against it. */
  const isInText = (box: Element) =>
    !/(^|[^a-z])(forms?|sticky)([^a-z]|$)/i.test(nameOf(box)) &&
    placeOf(box) === 'above' &&
    isContentInName(box);
  removeNamed(
    main,
    surroundings,
    (box) =>
      box.matches(`section, h1, h2, h3, h4, h5, h6, ${text}`) ||
      box.querySelector(text) !== null ||
      hasPrice(box) ||
      (ofShort.test(nameOf(box)) && lengthOf(box) > shortMax) ||
      isInText(box),
  );
  if (!isList) {
    removeNamed(main, others, isInText);
    const isContent = (box: Element) => box.nodeName === 'SECTION' || box.querySelector(text) !== null;
    removeNamed(main, ofEnd, (box) => isContent(box) || placeOf(box) !== 'below');
  }
  const lengthMax = surroundings.shareMax * lengthOf(main);
  for (const form of all('form', main)) {
    if (form.querySelector(`h1, article, ${text}`) === null && !hasPrice(form) && lengthOf(form) < lengthMax)
      form.remove();
  }
}
