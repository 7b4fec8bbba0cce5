import type { DocumentTools } from './document-tools';

/**
 * Runs inside the browser: boxes that are printed at one place of every page and hide what is there on the second page, or at the end of the
 * first, where a screen scrolls it out of their way. Pages are as the layout would be cut, which is close enough for a box of a few lines.
 */
export function findCovering(
  { all, parentOf, isWithin, textsOf, linesOf, isSeen, rectOf, root, slack }: DocumentTools,
  pageHeight: number,
): readonly Element[] {
  const boxes = all('*').filter((box) => {
    if (!(box instanceof HTMLElement)) return false;
    const { position, zIndex, backgroundColor, backgroundImage, opacity } = getComputedStyle(box);
    if (position !== 'fixed' || Number(zIndex) < 0 || !isSeen(box)) return false;
    const [, alpha = 1] = /(?:^rgba\(.*,|\/) ([\d.]+)\)$/.exec(backgroundColor) ?? [];
    return Number(alpha) * Number(opacity) > 0.9 || (backgroundImage !== 'none' && Number(opacity) > 0.9);
  });
  if (boxes.length === 0 || !root) return [];
  // Rows that are repeated on each page leave room for such boxes.
  const spacers = all('thead, tfoot').map((rows) => rectOf(rows).height);

  const breaks = [0];
  for (const element of all('body *')) {
    const { breakBefore, breakAfter } = getComputedStyle(element);
    const { top, bottom } = rectOf(element);
    if (/page|left|right|always|recto|verso/.test(breakBefore)) breaks.push(top);
    if (/page|left|right|always|recto|verso/.test(breakAfter)) breaks.push(bottom);
  }
  breaks.sort((one, other) => one - other);
  const lines = [...textsOf(root)].flatMap((text) => {
    const parent = parentOf(text);
    if (!parent || !isSeen(parent) || boxes.some((box) => isWithin(parent, box))) return [];
    return linesOf(text).map(({ left, right, top, bottom }) => {
      const from = top - (breaks.findLast((one) => one <= top + slack) ?? 0);
      const page = Math.floor(Math.max(0, from) / pageHeight);
      const isFirst = page === 0 && top < pageHeight;
      return { left, right, top: from - page * pageHeight, height: bottom - top, isFirst };
    });
  });
  return boxes.filter((box) => {
    const { left, right, top, bottom, height } = rectOf(box);
    if (spacers.some((spacer) => spacer >= height / 2)) return false;
    const isAtEnd = (top + bottom) / 2 > window.innerHeight / 2;
    const from = isAtEnd ? pageHeight - (window.innerHeight - top) : top;
    return lines.some((line) => {
      const middle = line.top + line.height / 2;
      const isUnder = middle > from && middle < from + height && line.right > left && line.left < right;
      return isUnder && (isAtEnd || !line.isFirst);
    });
  });
}
