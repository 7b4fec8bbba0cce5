import { all, holdsPage, lengthOf, linkShare, textOf } from './dom';
import { spellOut } from './spell-out';

/** Whether an element is content regardless of its name: it has the page's title, or this share of its text. */
type IsLarge = (element: Element, share: number) => boolean;
/** Removes an element unless it is content. */
type Remove = (element: Element, share?: number) => void;

/**
 * Removes everything that is not content from a copy of the page: advertisements, navigation, newsletter boxes,
 * share buttons, dialogs. Writes down what is not in its text.
 * @param isWhole keeps all readable text
 */
export function cleanPage(page: Document, isWhole: boolean): void {
  const wholeLength = lengthOf(page.body ?? page.documentElement);
  const isLarge: IsLarge = (element, share) => holdsPage(element) || lengthOf(element) > share * wholeLength;
  const remove: Remove = (element, share = 0.4) => {
    if (!isLarge(element, share)) element.remove();
  };
  spellOut(page);
  removeSilent(page, remove);
  separateWords(page);
  if (isWhole) return;
  removeSurroundings(page, remove);
  removeBoxes(page, remove, isLarge);
  removeByName(page, remove);
  removeByText(page);
}

function wordsIn(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}

/** The words of an element's classes. */
function wordsOf(element: Element): string[] {
  return (element.getAttribute('class') ?? '')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

/** Separates words that only the style sheet separates: tab labels, a name and its rank, a price and the old one. */
function separateWords(page: Document): void {
  for (const element of all(
    'a + a, a + span, span + a, span + span, label + label, s + span, span + s, span + time',
    page,
  )) {
    const before = element.previousSibling;
    if (before !== element.previousElementSibling || element.closest('pre, code')) continue;
    const [one, two] = [before?.textContent ?? '', element.textContent ?? ''];
    // Single letters side by side are one animated word.
    if (one.length < 2 || two.length < 2) continue;
    if (/[\p{L}\p{N}]$/u.test(one) && /^[\p{L}\p{N}$€£]/u.test(two)) element.before(' ');
  }
}

/**
 * Whether an element is a link that assistive technology skips, with a text that nothing else says.
 * @param wholeText the text of the page
 */
function isSeenLink(element: Element, wholeText: () => string): boolean {
  if (
    !element.matches(
      'a[aria-hidden="true"]:not([hidden], [style*="display:none" i], [style*="display: none" i])',
    )
  )
    return false;
  const text = textOf(element);
  const around = 'nav, footer, dialog, header:not(article header)';
  if (text.length < 40 || element.closest(around)) return false;
  const whole = wholeText();
  const at = whole.indexOf(text);
  return at >= 0 && whole.indexOf(text, at + text.length) < 0;
}

/** Removes what is never text, and what is not shown. */
function removeSilent(page: Document, remove: Remove): void {
  for (const element of all(
    'script, style, noscript, template, iframe, object, embed, canvas, svg, select, textarea, dialog',
    page,
  ))
    element.remove();
  let known: string | undefined;
  // Read once, because a page may have thousands of such links.
  const wholeText = () => {
    known ??= textOf(page.body);
    return known;
  };
  // An open dialog hides the page behind it with the same attribute.
  for (const element of all(
    '[hidden], [aria-hidden="true"], [style*="display:none" i], [style*="display: none" i], [aria-modal="true"], [role="dialog"], [role="alertdialog"], [role="search"], [role="tooltip"]',
    page,
  )) {
    if (!isSeenLink(element, wholeText)) remove(element);
  }
  for (const button of all('button, [role="button"]:not(a)', page)) {
    // The heading of a collapsible section.
    if (button.closest('h1, h2, h3, h4, h5, h6, summary, dt')) button.replaceWith(...button.childNodes);
    else button.remove();
  }
  for (const link of all('h1 a, h2 a, h3 a, h4 a, h5 a, h6 a, dt a, .code-block-caption a', page)) {
    if (/^[¶#§\u{1f517}\u200b\uf0c1\s]*$/u.test(link.textContent ?? '') && !link.querySelector('img'))
      link.remove();
  }
}

/** Words in a class that only surroundings of a page have. */
const certain = wordsIn(`
  adsbygoogle outbrain taboola sharedaddy relatedposts editsection catlinks printfooter navbox sitenotice jumpbox
`);
/** Words in a class for what is never content, for what is not when it is small, and for what is not when it consists of links. */
const never = wordsIn(`
  ad ads advert advertisement advertising adslot sponsored promo cookie cookies consent
  gdpr newsletter newsletters subscribe paywall recirculation breadcrumb
  breadcrumbs pagination pager popup modal portlet
`);
const small = wordsIn(`
  share sharing social related recommended recommendations sidebar feedback
`);
const ofLinks = wordsIn(`
  menu navbar toc footer toolbar dropdown actions tools buttons filters rail login signup register
  backlink masthead announcement
`);

/** What boxes say that are not content. */
const elsewhere =
  /subscri|newsletter|sign(ed)?[- ]?(me )?up|e-?mail|cookie|consent|privacy|advert|sponsor|promot|affiliate|share|follow|tweet|facebook|twitter|instagram|linkedin|pinterest|whatsapp|log ?in|sign in|register|members|related|similar|recommend|you (may|might)|trending|popular|read (more|next)|more (from|on)|shop now|buy now|learn more|discover|% off|free (trial|shipping)|rate this|helpful|feedback|©|all rights/i;

/**
 * Whether a box of the main content is something else than its name says it is: nothing in it, not links, a form, images or
 * its words, confirms that it is not content.
 */
export function isContentInName(element: Element): boolean {
  const leads = all('a[href] :is(h2, h3, h4, h5, h6, img), :is(h2, h3, h4, h5, h6) a[href]', element);
  const text = textOf(element);
  return (
    /\p{L}/u.test(text) &&
    !element.matches('a[href]') &&
    linkShare(element) <= 0.4 &&
    leads.length < 2 &&
    element.querySelector('form, input') === null &&
    !elsewhere.test(text)
  );
}

/** Finds what is in the main content: in the element that is marked as that, or between paragraphs of prose. */
function mainContentOf(page: Document): (element: Element) => boolean {
  const marked = 'main, article, [role="main"], [role="article"]';
  const around = 'nav, aside, header, footer, [role="complementary"]';
  if (page.querySelector(marked))
    return (element) => element.closest(marked) !== null && element.closest(around) === null;
  const prose = all('p', page).filter((paragraph) => lengthOf(paragraph) > 100 && !paragraph.closest(around));
  const [first, last] = [prose[0], prose.at(-1)];
  return (element) =>
    first !== undefined &&
    last !== undefined &&
    first.compareDocumentPosition(element) === Node.DOCUMENT_POSITION_FOLLOWING &&
    last.compareDocumentPosition(element) === Node.DOCUMENT_POSITION_PRECEDING;
}

/** Words for what is not content that are in the classes of boxes with most of the text, so here they name the content. */
function wordsOfContent(boxes: readonly Element[], page: Document): ReadonlySet<string> {
  const lengths = new Map<string, number>();
  for (const box of boxes) {
    // A sidebar is often named by the box around it and the content.
    const words = new Set(
      wordsOf(box).filter((word) => (never.has(word) || small.has(word)) && word !== 'sidebar'),
    );
    if (words.size === 0 || box.closest('nav, header, footer')) continue;
    const outer = new Set<string>();
    for (let up = box.parentElement; up; up = up.parentElement)
      for (const word of wordsOf(up)) outer.add(word);
    for (const word of words) {
      if (!outer.has(word)) lengths.set(word, (lengths.get(word) ?? 0) + lengthOf(box));
    }
  }
  const whole = lengthOf(page.body ?? page.documentElement);
  return new Set([...lengths].flatMap(([word, length]) => (length > 0.6 * whole ? [word] : [])));
}

/** Removes boxes whose class says that they are not content, and in the main content what is in them, too. */
function removeByName(page: Document, remove: Remove): void {
  const isInMain = mainContentOf(page);
  /** Matches comments below an article, and surroundings unless they are a section about them. */
  const isComments = ({ id }: Element) => /^(comments|respond|disqus_thread)$/.test(id);
  const isAround = ({ id, nodeName }: Element) =>
    nodeName !== 'SECTION' &&
    /^(sidebar|footer|page-footer|catlinks|siteNotice|siteSub|breadcrumbs?)$/.test(id);
  const boxes = all('div, section, aside, ul, ol, p, span, form, header, footer, figure, a, table, li', page);
  const ofContent = wordsOfContent(boxes, page);
  for (const element of boxes) {
    if (!element.isConnected || element.closest('pre, blockquote, td, th')) continue;
    const words = wordsOf(element).filter((word) => !ofContent.has(word));
    const isNamed = (names: ReadonlySet<string>) => words.some((word) => names.has(word));
    const isCalled = isNamed(certain) || isNamed(never) || isNamed(small) || isNamed(ofLinks);
    if (!isCalled && !isComments(element) && !isAround(element)) continue;
    // A wrapper's class may name what it has or lacks: `has-sidebar`, `with-ads`, `no-menu`.
    if (words.some((word) => /^(has|with|no|is|without)$/.test(word))) continue;
    // Posts of a thread name their author and time in such boxes.
    if (element.querySelector('[itemprop~="author"], [rel~="author"], time')) continue;
    if (isNamed(certain)) remove(element, 0.6);
    else if (isInMain(element) && isContentInName(element)) continue;
    else if (isNamed(never) || isAround(element)) remove(element, 0.6);
    // Longer than what they comment on, they are what people read.
    else if (isComments(element)) remove(element, 0.4);
    else if (isNamed(small) && (textOf(element).length < 100 || linkShare(element) > 0.4)) remove(element);
    else if (isNamed(ofLinks) && linkShare(element) > 0.5) remove(element);
  }
}

function removeSurroundings(page: Document, remove: Remove): void {
  const kept =
    /^(admonition|footnote|footnotes|callout|quote|pullquote|note|tip|warning|epigraph|caution|important|example|info)$/;
  for (const element of all(
    'nav, [role="navigation"], [role="banner"], [role="contentinfo"], [role="complementary"]',
    page,
  ))
    remove(element, 1);
  for (const aside of all('aside', page)) {
    const isContent =
      wordsOf(aside).some((word) => kept.test(word)) || aside.getAttribute('role')?.startsWith('doc-');
    if (!isContent) remove(aside, 0.6);
  }
  for (const element of all('header, footer', page)) {
    // Headers and footers of the page, not of an article, a post or a quotation.
    if (!element.closest('main, article, blockquote, figure, [role="main"], [role="article"], li'))
      remove(element, 0.6);
  }
}

/** Removes labels and commands with an element of their own. */
function removeByText(page: Document): void {
  const label =
    /^(advertise?ment|advertisements|sponsored( content)?|anzeige|werbung|publicité|publicidad|pubblicità|advertentie|reklama|реклама|広告|广告|you must (log|sign) in .{0,60})$/i;
  const command =
    /^(jump to( the)? recipe|(print|pin|save|rate)( this)? recipe|skip to( main)? content|jump to content|click to expand\.*|select all|copy (link|code)|improve this answer|add a comment|back to top|edit( this page| source)?|post reply|ask question|add to (cart|bag|basket)|log ?in|sign (in|up)|view page source|(next|previous) (page|post|topic).*)$/i;
  /** Everyday words, so only links that look like buttons or lead nowhere are removed. */
  const word = /^(top|quote|flag|follow|report|share|copy|reply|permalink)$/i;
  for (const element of all('div, p, span, figcaption, small', page)) {
    // A label contains little else.
    const text = element.childElementCount > 3 ? '' : textOf(element);
    if (
      text !== '' &&
      text.length < 100 &&
      label.test(text) &&
      !element.closest('pre, td, th, a') &&
      !element.querySelector('img')
    )
      element.remove();
  }
  for (const link of all('a', page)) {
    if (link.closest('pre')) continue;
    const text = textOf(link);
    // An icon, such as a pencil, a heart or an arrow.
    const isEmpty = text === '' && !link.querySelector('img, picture, video, audio');
    const isButton = link.hasAttribute('class') || /^(#|$)/.test(link.getAttribute('href') ?? '');
    const isCommand = (command.test(text) || (isButton && word.test(text))) && !link.closest('td, th');
    if (!isEmpty && !isCommand) continue;
    const item = link.parentElement;
    const isAlone = item?.nodeName === 'LI' && textOf(item) === text;
    (isAlone ? item : link).remove();
  }
}

/** Removes boxes with an email field, and lists of other pages below a heading that says so. */
function removeBoxes(page: Document, remove: Remove, isLarge: IsLarge): void {
  const boxOf = (start: Element, lengthMax: number): Element => {
    let box = start;
    for (let up = box.parentElement; up && !isLarge(up, 0.4); up = up.parentElement) {
      if (!/^(DIV|SECTION|ASIDE|FORM|UL|P|FIELDSET|TABLE|TBODY|TR|TD)$/.test(up.nodeName)) break;
      if (textOf(up).length > lengthMax) break;
      box = up;
    }
    return box;
  };
  for (const field of all('input[type="email"], input[type="password"], input[data-name*="email" i]', page)) {
    const form = field.closest('form');
    // Some sites put the whole page into a form.
    if (form && !isLarge(form, 0.4)) remove(boxOf(form, 260));
    else remove(boxOf(field, 120));
  }
  const others =
    /^(related( (posts|articles|stories|topics|content|links|products))?|read (also|more|next)|more (from|stories|on|to) .*|you (may|might) also (like|enjoy)|recommended( for you)?|most (read|popular)|popular (posts|now)|trending( now)?|recent posts|recently viewed|who is online|members online|share this( article| post)?|hot network questions|leave a (reply|comment)|your answer|never miss an update|current browse context):?$/i;
  for (const heading of all('h2, h3, h4, h5, h6, strong, b, p, span', page)) {
    const box = heading.parentElement;
    if (!heading.isConnected || !box || isLarge(box, 0.4)) continue;
    const text = textOf(heading);
    if (text.length > 60 || !others.test(text) || heading.closest('table, pre, li, blockquote')) continue;
    const isHeading = /^H\d$/.test(heading.nodeName) && !/^more (on|to) /i.test(text);
    // Other words of these may head a part of the page, such as a recommended configuration.
    const isOther =
      !/^(related|recommended|read|more|most|popular|trending|recent)/i.test(text) ||
      box.querySelector('a[href], form, input, img') !== null;
    if (linkShare(box) > 0.3 || (isHeading && isOther && textOf(box).length < 400)) remove(boxOf(box, 400));
  }
  for (const element of all(
    'input:not([type="checkbox"]), label:has(input:not([type="checkbox"])), progress, meter',
    page,
  ))
    element.remove();
}
