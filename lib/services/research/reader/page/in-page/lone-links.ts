import { all, lengthOf, linkShare, nameOf, outermostOf, textOf } from './dom';

const inline =
  /^(A|SPAN|B|I|EM|STRONG|SMALL|CITE|SUP|SUB|CODE|U|FONT|ABBR|MARK|S|BR|IMG|PICTURE|SOURCE|LABEL|VAR|Q|BDI)$/;
/** Where a short link is an item, a value or a title. */
const parts = 'li, dt, dd, td, th, h1, h2, h3, h4, h5, h6, summary, blockquote, pre, time';
/** Who wrote something is said in a link of his or her name. */
const author =
  '[rel~="author"], [itemprop~="author"], [class*="author" i], [class*="byline" i], [class*="user" i], [class*="member" i]';
const [wordsMax, lengthMax, shareMax] = [5, 45, 0.2];

/**
 * Removes links that stand alone with a few words: buttons and names of other pages. If they are more than a small part of
 * the main part, they are what the page is about.
 */
export function removeLoneLinks(main: Element): void {
  const lone = outermostOf(
    all('a[href]', main)
      .filter((link) => isShort(textOf(link)) && link.closest(`${parts}, ${author}`) === null)
      .flatMap((link) => aloneIn(link, main) ?? []),
  ).filter((box) => box.querySelector(`${parts}, ${author}`) === null);
  if (lone.reduce((sum, box) => sum + lengthOf(box), 0) >= shareMax * lengthOf(main)) return;
  for (const box of lone) box.replaceWith(...all('img', box));
}

/** Links that look like buttons call to do something, also with more words, beside each other or in a list. */
const button = {
  classes: '[class*="btn" i], [class*="button" i], [class*="cta" i]',
  name: /(^|[^a-z])(btns?|buttons?|cta)([^a-z]|$)/i,
  lengthMax: 60,
  shareMax: 0.1,
};

/** Removes links that look like buttons, unless they are more than a small part of the main part. */
export function removeButtons(main: Element): void {
  const buttons = outermostOf(
    all(button.classes, main).filter((box) => {
      if (!button.name.test(nameOf(box))) return false;
      const text = textOf(box);
      return (
        text.length >= 2 &&
        text.length <= button.lengthMax &&
        !/[$€£¥]/.test(text) &&
        (box.nodeName === 'A' || linkShare(box) > 0.8) &&
        box.querySelector('h1, h2, h3, h4, time, img') === null &&
        box.closest('h1, h2, h3, h4, h5, h6, p p, table, pre') === null
      );
    }),
  );
  if (buttons.reduce((sum, box) => sum + lengthOf(box), 0) > button.shareMax * lengthOf(main)) return;
  for (const box of buttons) box.remove();
}

/** A few words, not a price. */
function isShort(text: string): boolean {
  return (
    text.length >= 2 && text.length <= lengthMax && text.split(' ').length <= wordsMax && !/[$€£¥]/.test(text)
  );
}

/** The largest element that says nothing but a link; undefined if the link is a part of a line. */
function aloneIn(link: Element, main: Element): Element | undefined {
  const isWord = (text: string | null) => /[\p{L}\p{N}]/u.test(text ?? '');
  const words = (element: Element) => textOf(element).replace(/[^\p{L}\p{N}]/gu, '').length;
  let box = link;
  for (let up = link.parentElement; up && up !== main && up.childElementCount < 10; up = up.parentElement) {
    if (words(up) !== words(link)) break;
    box = up;
  }
  if (!inline.test(box.nodeName)) return box;
  const isBeside = (next: (node: Node) => Node | null) => {
    let node = next(box);
    while (node && !isWord(node.textContent) && node.nodeName !== 'BR') node = next(node);
    return (
      node !== null &&
      (node.nodeType === Node.TEXT_NODE || (node.nodeName !== 'BR' && inline.test(node.nodeName)))
    );
  };
  return isBeside((node) => node.previousSibling) || isBeside((node) => node.nextSibling) ? undefined : box;
}
