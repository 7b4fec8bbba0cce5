import { all, lengthOf, linkShare, outermostOf } from './dom';

/** Finds groups of at least three cards beside each other, which lead to other pages. */
export function findCardGroups(main: Element): Element[][] {
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

  const groups: Element[][] = [];
  for (const parent of [main, ...all('*', main)]) {
    if (parent.children.length < 3 || parent.closest('table, pre')) continue;
    const children = [...parent.children];
    const cards = children.filter(isCard);
    if (cards.length >= 3 && cards.length >= 0.6 * children.length) groups.push(cards);
  }
  return groups;
}

/** Finds where the sentences of the main part end, cards left aside, and how long they are. */
export function endOfProse(main: Element, cards: readonly Element[]) {
  const blocks = 'p, li, blockquote, pre, dd, td';
  const prose = all(blocks, main).filter(
    (block) =>
      lengthOf(block) >= 80 &&
      linkShare(block) < 0.5 &&
      block.querySelector(blocks) === null &&
      !cards.some((card) => card.contains(block)),
  );
  const length = prose.reduce((sum, block) => sum + lengthOf(block), 0);
  let said = 0;
  // A line about the author or the site may stand below.
  const end = prose.find((block) => {
    said += lengthOf(block);
    return said >= 0.85 * length;
  });
  const last = prose.at(-1);
  return end && last ? { end, last, length } : undefined;
}

/** Whether the main part is a list of other pages: products, articles, jobs. Then most of it is cards that lead to them. */
export function isListOfPages(main: Element): boolean {
  const cards = outermostOf(findCardGroups(main).flat());
  return cards.reduce((sum, card) => sum + lengthOf(card), 0) > 0.35 * lengthOf(main);
}
