import { all, lengthOf, linkShare } from './dom';

/** Whether the main part is a list of other pages: products, articles, jobs. Then most of it is cards that lead to them. */
export function isListOfPages(main: Element): boolean {
  /** Whether an element is a card that leads to another page. */
  function isCard(element: Element): boolean {
    const length = lengthOf(element);
    if (length < 8 || length > 600) return false;
    const link = element.matches('a[href]') ? element : element.querySelector('a[href]');
    if (!link) return false;
    const heading = element.querySelector('h2, h3, h4, h5, h6, img, picture, figure');
    if (!heading) return false;
    const share = element.matches('a[href]') ? 1 : linkShare(element);
    return share > 0.5 || heading.closest('a') !== null || heading.querySelector('a') !== null;
  }

  /** Groups of at least three cards beside each other. */
  function findCardGroups(): Element[][] {
    const groups: Element[][] = [];
    for (const parent of [main, ...all('*', main)]) {
      if (parent.children.length < 3 || parent.closest('table, pre')) continue;
      const children = [...parent.children];
      const cards = children.filter(isCard);
      if (cards.length >= 3 && cards.length >= 0.6 * children.length) groups.push(cards);
    }
    return groups;
  }

  const carded = findCardGroups().flat();
  const outermost = carded.filter((card) => !carded.some((other) => other !== card && other.contains(card)));
  return outermost.reduce((sum, card) => sum + lengthOf(card), 0) > 0.35 * lengthOf(main);
}
