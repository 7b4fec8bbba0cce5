import { all, holdsPage, lengthOf, textOf } from './dom';

/**
 * Removes from a copy of the page what stands beside its content whatever its size: readers' comments below an
 * article, consent dialogs, signatures of members, templates that no script has filled in, text for screen readers only.
 */
export function removeBeside(page: Document): void {
  removeConsent(page);
  removeComments(page);
  removeWriters(page);
  const unseen = [
    'sr-only',
    'visually-hidden',
    'visuallyhidden',
    'screen-reader',
    'screenreader',
    'a11y',
    'offscreen',
  ];
  for (const element of all(unseen.map((name) => `[class*="${name}" i]`).join(', '), page)) {
    // Prices and dates are often said in numbers only there.
    const isPlain = element.matches('.sr-only, .visually-hidden, .visuallyhidden, .screen-reader-text');
    const isText =
      lengthOf(element) < 120 &&
      (isPlain || !/\d/.test(textOf(element))) &&
      element.querySelector('a, li, h1, h2, h3, h4, h5, h6') === null;
    // What assistive technology must not read beside it is left out, so this is the text.
    const isAlternative = [...(element.parentElement?.children ?? [])].some(
      (other) => other.getAttribute('aria-hidden') === 'true' && lengthOf(other) > 0,
    );
    if (isText && !isAlternative && !element.closest('h1, h2, h3, h4, h5, h6, math, table')) element.remove();
  }
  for (const element of all('.signature, .message-signature, .postsignature', page)) {
    // Some threads name the author of a post in such a box.
    const isAuthor = element.querySelector('[itemprop~="author"], [rel~="author"], time, img') !== null;
    // It is the end of a post.
    const isLast = element.nextElementSibling === null || lengthOf(element.nextElementSibling) === 0;
    if (!isAuthor && isLast && lengthOf(element) < 1_500 && !holdsPage(element)) element.remove();
  }
  for (const element of all('body :not(pre, code, script, style, textarea)', page)) {
    const text = element.childElementCount === 0 ? (element.textContent ?? '').trim() : '';
    if (/^\{\{[^{}]*\}\}$/.test(text) && !element.closest('pre, code')) element.remove();
  }
}

/** The outermost boxes of consent tools: OneTrust, Cookiebot, Didomi, Usercentrics, Sourcepoint, Quantcast, Osano, Klaro. */
function removeConsent(page: Document): void {
  const tools =
    '#onetrust-consent-sdk, #onetrust-banner-sdk, #CybotCookiebotDialog, #CookiebotWidget, #didomi-host, #usercentrics-root, #usercentrics-cmp-ui, [id^="sp_message_container"], .qc-cmp2-container, #qc-cmp2-container, .osano-cm-window, .klaro, #truste-consent-track, #cookie-law-info-bar, #cmplz-cookiebanner-container, .cky-consent-container, #iubenda-cs-banner, .cc-window[role="dialog"], #cookiescript_injected, #axeptio_overlay, .fc-consent-root';
  for (const tool of all(tools, page)) if (!holdsPage(tool)) tool.remove();
}

/** Comments of readers below an article. In a thread they are the content. */
function removeComments(page: Document): void {
  const named =
    /(^|[\s_-])(comments|commentlist|comment[_-](list|thread|section|area|wrapper)|respond|disqus_thread)([\s_-]|$)/i;
  /** Parts of a comment, or a form for one. */
  const post =
    'form, textarea, time, img, li, article, [class*="author"], [class*="avatar"], [class*="reply"], [class*="comment"], [id*="comment"]';
  const lists = all('div, section, ol, ul, aside', page).filter(
    (element) =>
      (named.test(element.id) || named.test(element.getAttribute('class') ?? '')) &&
      !holdsPage(element) &&
      element.querySelector(post) !== null,
  );
  const outermost = lists.filter((list) => !lists.some((other) => other !== list && other.contains(list)));
  const title = page.querySelector('h1');
  const isThread = all('script[type="application/ld+json"]', page).some((script) =>
    /"@type"\s*:\s*\[?\s*"(DiscussionForumPosting|QAPage|Question)"/.test(script.textContent ?? ''),
  );
  if (!title || isThread || outermost.length === 0) return;
  const prose = all('p', page)
    .filter((paragraph) => !paragraph.closest('nav, header, footer, aside'))
    .filter((paragraph) => !outermost.some((list) => list.contains(paragraph)))
    .filter((paragraph) => title.compareDocumentPosition(paragraph) & Node.DOCUMENT_POSITION_FOLLOWING);
  if (prose.reduce((sum, paragraph) => sum + lengthOf(paragraph), 0) < 1_500) return;
  for (const list of outermost) {
    const isBelow = prose.some(
      (paragraph) => list.compareDocumentPosition(paragraph) & Node.DOCUMENT_POSITION_PRECEDING,
    );
    if (isBelow) list.remove();
  }
}

/** Who wrote the article, below it. A line above it says the name. */
function removeWriters(page: Document): void {
  const named =
    /(^|[\s_-])(author[_-]?(box|bio|info|card|details|about|profile|block|description)|about[_-]?(the[_-])?author|post[_-]author|saboxplugin[_-]wrap)([\s_-]|$)/i;
  const paragraphs = all('p', page).filter((paragraph) => lengthOf(paragraph) > 200);
  for (const box of all('div, section, aside, footer', page)) {
    if (!named.test(box.getAttribute('class') ?? '') || holdsPage(box) || lengthOf(box) > 1_500) continue;
    const before = paragraphs.filter(
      (paragraph) => box.compareDocumentPosition(paragraph) === Node.DOCUMENT_POSITION_PRECEDING,
    );
    const name = textOf(box.querySelector('h1, h2, h3, h4, h5, h6, strong, b, a'));
    const isWriter =
      box.querySelector('img, a[href]') !== null ||
      /author|writer|editor|written by/i.test(textOf(box).slice(0, 100)) ||
      (name !== '' &&
        before.length > 0 &&
        textOf(page.body).indexOf(name) < textOf(page.body).indexOf(textOf(box)));
    if (before.length >= 4 && isWriter) box.remove();
  }
}
