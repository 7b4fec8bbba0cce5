import { all, lengthOf, textOf } from './dom';

/** Who made an image, or the agency that it is from. */
const credit =
  /^\W*(((featured )?image|photo|photograph|picture|illustration|foto|fotografía|bild|imagen|immagine|photographie)s?\s*(credits?|courtesy|source|by|via|copyright|©|:|\/)|(crédits?|credits?)\s?:(?!\s*\d)).{0,90}$|^(.{0,60}([/|:©(–—-]|\b(via|by)) *)?(getty images|shutterstock|istock(photo)?|adobe ?stock|unsplash|pexels|alamy( stock photo)?|depositphotos|dreamstime|wikimedia commons)(\.com)?\W*$/i;
/** Rights, which hold for the whole site. */
const rights = /^\W*(©|copyright|\(c\))\s*(©|\(c\)|\d{4}|by\b).{0,300}$|^.{0,80}all rights reserved\W*$/i;
/** What every page of a government says about its address. */
const government =
  /^\W*(an official website of |official websites use \.|secure \.\w+ websites use https|here.s how you know).{0,250}$/i;
/** Questions about the page itself. */
const asks =
  /^\W*(how (useful|helpful) (was|is) this|did you (find|like) this|was this (page|article|post|content|helpful|information)|rate this|click (on )?a star|average rating\b.{0,40}vote|no votes so far|\d+% of (people|readers|users) found|we are sorry that this|let us improve this|tell us how we can improve|report (a correction|an error|a typo)|see any errors on)/i;
/** Words before a link to another page. */
const aside =
  /^\W*((you may |see |read |please )?also (read|see|like|check out)|read (also|next|this( next)?)|see also|related( (story|stories|article|articles|post|posts|content|reading|coverage|topics?|links?))?|must[- ]read|recommended( (reading|for you))?|don.t miss|lesen sie auch|auch interessant|mehr zum thema|lesetipp|(à )?lire (aussi|également)|voir aussi|leer? (también|más)|lea también|te puede interesar|ver también|leia (também|mais)|veja (também|mais)|leggi anche|lees ook|zie ook|czytaj (też|także|również)|zobacz (też|także|również)|läs (också|även|mer)|les også|læs også|читайте также|смотрите также|читайте ещё|baca juga|あわせて読みたい|関連記事|相关阅读|延伸閱讀|관련 기사)\s*([:：–—|-]|$)/iu;

/** A line of nothing but one of these. */
const lineOf = (texts: readonly string[], end = '') =>
  new RegExp(`^\\W*(${texts.join('|')})${end}\\W*$`, 'i');

/** A control of a shop or a list, where a list or a slider is, or what a form says about itself; also with a number. */
const control = lineOf(
  [
    'compare( items?| products?)?|add to (compare|comparison|wish ?list|favou?rites|list)|quick (shop|view|buy|look|add)( \\d+ colou?rs?)?',
    '(view|see|show|get) (details|pricing|options|price|more|all|full details|product details|dimensions|more details|less)',
    '(choose|select) (options?|your size|a size|size|colou?r|an option)|shop (now|all)|buy( it)? now|buy|notify me( when .*)?',
    '(read|learn|discover|load) more|see full item description|loading( reviews)?|qty|per|share( link)?|wish ?list|swatch|icon',
    'filters?( & sort| and sort)?|filter by|sort( by)?|view as( ?grid)?( ?list)?|view|display|show( \\d+)?|per page|clear( all)?|reset|apply',
    '(items? )?\\d+[-– ]+\\d+ of \\d+|(showing|displaying) .{0,50}(results?|products?|items?)|\\d[\\d,]* (results|items found|products found)|products \\(\\d+\\)',
    '((slide|picture) )?\\d+ of \\d+|\\d+ ?/ ?of \\d+|previous|next|back( to top)?|close|menu|home|cart',
    'your (cart|bag|basket)( is( currently)? empty)?|no products in the cart|skip (to|images|listing|the) ?.{0,20}',
    'size (guide|chart)|write a review|add (your|a) review|be the first to (review|write).{0,60}|please (select|choose).{0,30}',
    'your browser does not support.{0,40}|table of contents|on this page|\\d+ min(ute)?s? read',
  ],
  '( \\(\\d+\\))?',
);
/** What the software of a forum says around posts, not who wrote them and when. */
const forum = lineOf([
  'posted \\(edited\\)|edited .{1,40}\\d{4} by .{1,40}|last edited( by.{0,40})?:?|original poster|op posts?|author|signature|featured replies',
  'popular days|top posters in this topic|wrote on|last reply|replies?( \\d+)?|scroll to see replies|views? [\\d.,]+k?|\\[ \\d+ \\] thanks',
  'scheduled pinned locked moved.{0,60}|\\d+ posts \\d+ posters.{0,50}|this topic (has been deleted|was automatically closed).{0,100}',
  'this (discussion|thread|topic|post) (is|has been)( now)? (closed|archived|locked).{0,60}|not open for further replies',
  '(create an account|sign in|log in|register)( or (create an account|sign in|log in|register))?( to (comment|reply|vote|post|continue))?|sign in now',
  'you need to be a member.{0,60}|already have an account.{0,30}|(sign up for|register) a new account.{0,60}|(check out other )?related discussions',
  '(thread tools|search thread|show printable version|subscribe to this thread|(linear|switch to (hybrid|threaded)) mode|advanced search).?',
  'click for summary.{0,20}|report( post)?|quote|advertisement.{0,40}|go to (solution|page).{0,20}',
]);

/**
 * Removes lines of their own that sites set between and around their texts: controls, who made an image, rights, questions
 * about the page, links to other pages.
 * @param isList whether the page is a list of others, of which only controls are removed
 */
export function removeLines(main: Element, isList: boolean): void {
  for (const element of all(
    'p, div, section, li, dd, figcaption, summary, label, span, small, em, i, b, strong, cite, a, h2, h3, h4, h5, h6',
    main,
  )) {
    if (!element.isConnected) continue;
    const text = textOf(element);
    if (text.length < 2 || text.length > 400) continue;
    const isControl =
      text.length <= 120 && (control.test(text) || forum.test(text)) && !isPart(element, text, isList);
    if (!isControl && (isList || !isExtra(element, text))) continue;
    if (element.closest('pre, table, blockquote') || !isLine(element)) continue;
    if (element.querySelector('h1, time, pre, table, form') !== null) continue;
    element.replaceWith(...all('img', element));
  }
}

/** Whether a line with the words of a control may be a part of a text: a heading, a term, a step of a list. */
function isPart(element: Element, text: string, isList: boolean): boolean {
  const isShort = text.split(' ').length < 4;
  if (element.closest(isShort ? 'h1, h2, h3, h4, h5, h6, dt' : 'h1, dt') !== null) return true;
  if (element.nodeName !== 'P' && element.closest('p') !== null) return true;
  return !isList && textOf(element.closest('li')) === text;
}

function isExtra(element: Element, text: string): boolean {
  const isHeading = /^H\d$/.test(element.nodeName);
  return (
    (text.length <= 150 && asks.test(text)) ||
    government.test(text) ||
    (!isHeading && ((text.length <= 120 && credit.test(text)) || rights.test(text))) ||
    (!isHeading && text.length <= 200 && aside.test(text) && isLink(element, 0.5))
  );
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
