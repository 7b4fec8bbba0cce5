import { all, holdsPage, lengthOf, nameOf, removeNamed, textOf } from './dom';

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

/** Removes from the main part boxes that are named as controls or hints, unless they tell a price. */
export function removeControls(main: Element): void {
  const hint = '[class*="tooltip" i]';
  removeNamed(
    main,
    hints,
    (box) => /[$€£¥]/.test(textOf(box)) || (box.matches(hint) && box.querySelector(hint) !== null),
  );
}
