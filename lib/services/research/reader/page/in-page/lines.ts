import { all, lengthOf, textOf } from './dom';

/** Who made an image, or the agency that it is from. */
const credit =
  /^\W*(((featured )?image|photo|photograph|picture|illustration|foto|fotografía|bild|imagen|immagine|photographie)s?\s*(credits?|courtesy|source|by|via|copyright|©|:|\/)|(crédits?|credits?)\s?:(?!\s*\d)).{0,90}$|^(.{0,60}([/|:©(–—-]|\b(via|by)) *)?(getty images|shutterstock|istock(photo)?|adobe ?stock|unsplash|pexels|alamy( stock photo)?|depositphotos|dreamstime|wikimedia commons)(\.com)?\W*$/i;
/** Rights, which hold for the whole site. */
const rights = /^\W*(©|copyright|\(c\))\s*(©|\(c\)|\d{4}|by\b).{0,300}$|^.{0,80}all rights reserved\W*$/i;
/** Questions about the page itself. */
const asks =
  /^\W*(how (useful|helpful) (was|is) this|did you (find|like) this|was this (page|article|post|content|helpful|information)|rate this|click (on )?a star|average rating\b.{0,40}vote|no votes so far|\d+% of (people|readers|users) found|we are sorry that this|let us improve this|tell us how we can improve|report (a correction|an error|a typo)|see any errors on)/i;
/** Words before a link to another page. */
const aside =
  /^\W*((you may |see |read |please )?also (read|see|like|check out)|read (also|next|this( next)?)|see also|related( (story|stories|article|articles|post|posts|content|reading|coverage|topics?|links?))?|must[- ]read|recommended( (reading|for you))?|don.t miss|lesen sie auch|auch interessant|mehr zum thema|lesetipp|(à )?lire (aussi|également)|voir aussi|leer? (también|más)|lea también|te puede interesar|ver también|leia (também|mais)|veja (também|mais)|leggi anche|lees ook|zie ook|czytaj (też|także|również)|zobacz (też|także|również)|läs (också|även|mer)|les også|læs også|читайте также|смотрите также|читайте ещё|baca juga|あわせて読みたい|関連記事|相关阅读|延伸閱讀|관련 기사)\s*([:：–—|-]|$)/iu;

/**
 * Removes lines of their own that sites set between and around their texts: who made an image, rights, questions about
 * the page, links to other pages.
 */
export function removeLines(main: Element): void {
  for (const element of all(
    'p, div, section, li, figcaption, span, small, em, i, b, strong, cite, a, h2, h3, h4, h5, h6',
    main,
  )) {
    if (!element.isConnected || element.closest('pre, table, blockquote')) continue;
    const text = textOf(element);
    if (text.length < 3 || text.length > 400 || !isLine(element)) continue;
    if (element.querySelector('h1, time, pre, table, form') !== null) continue;
    const isHeading = /^H\d$/.test(element.nodeName);
    const isExtra =
      (text.length <= 150 && asks.test(text)) ||
      (!isHeading && ((text.length <= 120 && credit.test(text)) || rights.test(text))) ||
      (!isHeading && text.length <= 200 && aside.test(text) && isLink(element, 0.5));
    if (isExtra) element.replaceWith(...all('img', element));
  }
}

function isLink(element: Element, share: number): boolean {
  const link = element.closest('a[href]') ?? element.querySelector('a[href]');
  return link !== null && lengthOf(link) >= share * lengthOf(element);
}

/** Whether an element is a line of its own, not a part of a sentence. */
function isLine(element: Element): boolean {
  const isInline = (node: Node) =>
    /^(A|SPAN|B|I|EM|STRONG|SMALL|CITE|TIME|SUP|SUB|CODE|U|FONT|#text)$/.test(node.nodeName);
  if (!isInline(element)) return true;
  return [...(element.parentElement?.childNodes ?? [])].every(
    (node) => node === element || !isInline(node) || (node.textContent ?? '').trim() === '',
  );
}
