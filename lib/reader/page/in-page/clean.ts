/**
 * Runs inside the browser, handed over as source text (`../extraction.ts`): it may use nothing from outside the function.
 *
 * Takes out of a copy of the page what is no content wherever it stands (advertisements, navigation, newsletter boxes, sharing,
 * dialogs), and writes out what only attributes, styles or scripts would show (ratings, formulas, code).
 * @param isWhole leaves everything in that can be read
 */
export function cleanPage(page: Document, isWhole: boolean): void {
  const body = page.body ?? page.documentElement;
  const all = (selector: string, within: ParentNode = page) => [...within.querySelectorAll(selector)];
  const textOf = (element: Element) => (element.textContent ?? '').replace(/\s+/g, ' ').trim();
  const linkShare = (element: Element) => {
    const whole = textOf(element).length;
    const linked = all('a[href]', element).reduce((sum, link) => sum + textOf(link).length, 0);
    return whole === 0 ? 0 : linked / whole;
  };
  const wordsOf = (element: Element) =>
    (element.getAttribute('class') ?? '')
      .replace(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .split(/[^a-z0-9]+/)
      .filter((word) => word !== '');
  const wholeLength = textOf(body).length;

  /** Content, whatever it is called: what carries the title of the page or much of it. */
  function isLarge(element: Element, share: number): boolean {
    if (element.contains(body) || element.querySelector('h1, main, [role="main"]')) return true;
    return textOf(element).length > share * wholeLength;
  }
  function remove(element: Element, share = 0.4): void {
    if (!isLarge(element, share)) element.remove();
  }

  /** Formulas as TeX, where the page carries their source beside what it draws. */
  function writeFormulas(): void {
    const write = (place: Element, tex: string, isBlock: boolean) => {
      const code = page.createElement('code');
      code.setAttribute('data-formula', isBlock ? 'block' : 'inline');
      code.textContent = tex.trim().replace(/^\{\\displaystyle ([\s\S]*)\}$/, '$1');
      place.replaceWith(code);
    };
    for (const script of all('script[type^="math/tex"]')) {
      write(script, script.textContent ?? '', (script.getAttribute('type') ?? '').includes('display'));
    }
    for (const math of all('math')) {
      const source =
        math.querySelector('annotation[encoding*="tex" i]')?.textContent ?? math.getAttribute('alttext');
      if (!source) continue;
      const block = math.closest('.katex-display, mjx-container[display="true"], .mwe-math-element-block');
      const inline = math.closest('.katex, mjx-container, .mwe-math-element, .MathJax');
      write(block ?? inline ?? math, source, block !== null || math.getAttribute('display') === 'block');
    }
  }

  /** Ratings, which most pages draw with stars and tell in an attribute. */
  function writeRatings(): void {
    const rating =
      /\d([.,]\d+)?\s*(out of|\/|of|von|sur|su|de|av|van|из)\s*(5|10|100)\b|^\s*(rated\s*)?\d([.,]\d+)?\s*stars?\b/i;
    for (const element of all('[aria-label], [title]')) {
      if (/^(A|IMG|HTML|BODY|IFRAME|MAIN)$/.test(element.nodeName)) continue;
      const label = [element.getAttribute('aria-label'), element.getAttribute('title')].find(
        (text) => text !== null && text.length < 80 && rating.test(text),
      );
      if (!label || /\d/.test(textOf(element))) continue;
      const line = page.createElement('p');
      line.textContent = /rat/i.test(label) ? label : `Rating: ${label}`;
      element.replaceWith(line);
    }
    for (const meta of all('body meta[itemprop="ratingValue"][content]')) {
      const value = meta.getAttribute('content') ?? '';
      const scope = meta.closest('[itemscope]') ?? meta.parentElement;
      if (!scope || textOf(scope).includes(value)) continue;
      const count = scope.querySelector('meta[itemprop="reviewCount"], meta[itemprop="ratingCount"]');
      const line = page.createElement('p');
      line.textContent = `Rating: ${value}${count ? ` (${count.getAttribute('content')} ratings)` : ''}`;
      meta.replaceWith(line);
    }
  }

  /** Votes of questions and answers: a bare number beside arrows. */
  function writeVotes(): void {
    for (const element of all('[itemprop="upvoteCount"]')) {
      const count = textOf(element);
      if (/^-?[\d.,]+k?$/.test(count)) element.textContent = `Votes: ${count}`;
    }
  }

  /** Words that only the style sheet keeps apart: labels of tabs, a name and its rank, a price and the old one. */
  function separateWords(): void {
    for (const element of all(
      'a + a, a + span, span + a, span + span, label + label, s + span, span + s, span + time',
    )) {
      const before = element.previousSibling;
      if (before !== element.previousElementSibling || element.closest('pre, code')) continue;
      const [one, two] = [before?.textContent ?? '', element.textContent ?? ''];
      // Single letters side by side are one word that moves.
      if (one.length < 2 || two.length < 2) continue;
      if (/[\p{L}\p{N}]$/u.test(one) && /^[\p{L}\p{N}$€£]/u.test(two)) element.before(' ');
    }
  }

  function languageOf(pre: Element): string | undefined {
    const places: (Element | null)[] = [pre.querySelector('code'), pre];
    const length = (pre.textContent ?? '').length;
    for (let up = pre.parentElement; up && places.length < 6; up = up.parentElement) {
      // What holds more than the block does not name its language.
      if ((up.textContent ?? '').length > length + 100) break;
      places.push(up);
    }
    const unnamed = /^(default|none|text|plain|plaintext|plain-text|block|wrapper|notranslate)$/i;
    const names = places.flatMap((place) => [
      /(?:^|\s)(?:language|lang|highlight-source|highlight|brush:)[-\s]([\w+#-]+)/i.exec(
        place?.getAttribute('class') ?? '',
      )?.[1],
      place?.getAttribute('data-lang'),
      place?.getAttribute('data-language'),
    ]);
    return names.find((name) => name && !unnamed.test(name))?.toLowerCase();
  }

  /** Every block of code as `<pre><code>`, without line numbers and buttons, whatever draws it. */
  function writeCode(): void {
    for (const table of all('table')) {
      const pres = all('pre', table);
      const isNumbers = (pre: Element) => /^[\d\s]*$/.test(pre.textContent ?? '');
      const [code] = pres.filter((pre) => !isNumbers(pre));
      const isOnlyCode =
        code && textOf(table).replace(/^[\d\s]+/, '') === textOf(code).replace(/^[\d\s]+/, '');
      if (isOnlyCode && pres.length <= 2) table.replaceWith(code);
    }
    // Several lines of code without <pre>.
    for (const code of all('code')) {
      if (code.querySelector('br') === null || code.closest('pre')) continue;
      const pre = page.createElement('pre');
      code.replaceWith(pre);
      pre.append(code);
    }
    const numbers =
      '.linenos, .lineno, .linenumber, .line-number, .line-numbers-rows, .gutter, .hljs-ln-numbers';
    for (const pre of all('pre')) {
      for (const extra of all(`${numbers}, button, clipboard-copy, style, script`, pre)) extra.remove();
      for (const end of all('br', pre)) end.replaceWith('\n');
      const lines = all('.line, .token-line, .code-line, [data-line], code > div', pre);
      const isUnbroken = lines.length > 1 && !(pre.textContent ?? '').trim().includes('\n');
      const text = isUnbroken ? lines.map((line) => line.textContent).join('\n') : (pre.textContent ?? '');
      const language = languageOf(pre);
      const code = page.createElement('code');
      if (language) code.className = `language-${language}`;
      code.textContent = text.replace(/^(\s*\n)+/, '').trimEnd();
      pre.replaceChildren(code);
      if (code.textContent === '') pre.remove();
    }
  }

  /** What is never text, and what is there but not shown. */
  function removeSilent(): void {
    for (const element of all(
      'script, style, noscript, template, iframe, object, embed, canvas, svg, select, textarea, dialog',
    ))
      element.remove();
    // A dialog that is open hides the page behind it in the same way.
    for (const element of all(
      '[hidden], [aria-hidden="true"], [style*="display:none" i], [style*="display: none" i], [aria-modal="true"], [role="dialog"], [role="alertdialog"], [role="search"], [role="tooltip"]',
    ))
      remove(element);
    for (const button of all('button, [role="button"]:not(a)')) {
      // The heading of a section that opens and closes.
      if (button.closest('h1, h2, h3, h4, h5, h6, summary, dt')) button.replaceWith(...button.childNodes);
      else button.remove();
    }
    for (const link of all('h1 a, h2 a, h3 a, h4 a, h5 a, h6 a, dt a, .code-block-caption a')) {
      if (/^[¶#§\u{1f517}\u200b\uf0c1\s]*$/u.test(link.textContent ?? '') && !link.querySelector('img'))
        link.remove();
    }
  }

  /** Boxes whose class says that they are no content. */
  function removeByName(): void {
    const never = new Set([
      ...[
        'ad',
        'ads',
        'advert',
        'advertisement',
        'advertising',
        'adsbygoogle',
        'adslot',
        'sponsored',
        'promo',
      ],
      ...[
        'cookie',
        'cookies',
        'consent',
        'gdpr',
        'newsletter',
        'newsletters',
        'subscribe',
        'paywall',
        'sharedaddy',
      ],
      ...[
        'relatedposts',
        'recirculation',
        'breadcrumb',
        'breadcrumbs',
        'pagination',
        'pager',
        'popup',
        'modal',
      ],
      ...[
        'outbrain',
        'taboola',
        'editsection',
        'catlinks',
        'printfooter',
        'navbox',
        'sitenotice',
        'portlet',
        'jumpbox',
      ],
    ]);
    const small = new Set([
      'share',
      'sharing',
      'social',
      'related',
      'recommended',
      'recommendations',
      'sidebar',
      'feedback',
    ]);
    const ofLinks = new Set([
      ...[
        'menu',
        'navbar',
        'toc',
        'footer',
        'toolbar',
        'dropdown',
        'actions',
        'tools',
        'buttons',
        'filters',
        'rail',
      ],
      ...['login', 'signup', 'register', 'backlink', 'masthead', 'announcement'],
    ]);
    /** Of comments below an article; and of surroundings, unless it is a chapter about them. */
    const isComments = ({ id }: Element) => /^(comments|respond|disqus_thread)$/.test(id);
    const isAround = ({ id, nodeName }: Element) =>
      nodeName !== 'SECTION' &&
      /^(sidebar|footer|page-footer|catlinks|siteNotice|siteSub|breadcrumbs?)$/.test(id);
    for (const element of all(
      'div, section, aside, ul, ol, p, span, form, header, footer, figure, a, table, li',
    )) {
      if (!element.isConnected || element.closest('pre, blockquote, td, th')) continue;
      const words = wordsOf(element);
      const isNamed = (names: ReadonlySet<string>) => words.some((word) => names.has(word));
      const isCalled = isNamed(never) || isNamed(small) || isNamed(ofLinks);
      if (!isCalled && !isComments(element) && !isAround(element)) continue;
      // What a wrapper has or lacks is not what it is: `has-sidebar`, `with-ads`, `no-menu`.
      if (words.some((word) => /^(has|with|no|is|without)$/.test(word))) continue;
      // Posts of a thread say in such boxes who wrote them, and when.
      if (element.querySelector('[itemprop~="author"], [rel~="author"], time')) continue;
      if (isNamed(never) || isComments(element) || isAround(element)) remove(element, 0.6);
      else if (isNamed(small) && (textOf(element).length < 100 || linkShare(element) > 0.4)) remove(element);
      else if (isNamed(ofLinks) && linkShare(element) > 0.5) remove(element);
    }
  }

  function removeSurroundings(): void {
    const kept =
      /^(admonition|footnote|footnotes|callout|quote|pullquote|note|tip|warning|epigraph|caution|important|example|info)$/;
    for (const element of all(
      'nav, [role="navigation"], [role="banner"], [role="contentinfo"], [role="complementary"]',
    ))
      remove(element, 1);
    for (const aside of all('aside')) {
      const isContent =
        wordsOf(aside).some((word) => kept.test(word)) || aside.getAttribute('role')?.startsWith('doc-');
      if (!isContent) remove(aside, 0.6);
    }
    for (const element of all('header, footer')) {
      // Of the page, and not of an article, a post or a quotation in it.
      if (!element.closest('main, article, blockquote, figure, [role="main"], [role="article"], li'))
        remove(element, 0.6);
    }
  }

  /** Labels and commands that name themselves, in a place of their own. */
  function removeByText(): void {
    const label =
      /^(advertise?ment|advertisements|sponsored( content)?|anzeige|werbung|publicité|publicidad|pubblicità|advertentie|reklama|реклама|広告|广告|you must (log|sign) in .{0,60})$/i;
    const command =
      /^(jump to( the)? recipe|(print|pin|save|rate)( this)? recipe|skip to( main)? content|jump to content|click to expand\.*|select all|copy (link|code)|improve this answer|add a comment|back to top|edit( this page| source)?|post reply|ask question|add to (cart|bag|basket)|log ?in|sign (in|up)|view page source|(next|previous) (page|post|topic).*)$/i;
    /** Words of everyday texts too: only of a link that is made up as a button, or leads nowhere. */
    const word = /^(top|quote|flag|follow|report|share|copy|reply|permalink)$/i;
    for (const element of all('div, p, span, figcaption, small')) {
      // A label holds little but itself.
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
    for (const link of all('a')) {
      if (link.closest('pre')) continue;
      const text = textOf(link);
      // A picture of a pencil, a heart, an arrow.
      const isEmpty = text === '' && !link.querySelector('img, picture, video, audio');
      const isButton = link.hasAttribute('class') || /^(#|$)/.test(link.getAttribute('href') ?? '');
      const isCommand = (command.test(text) || (isButton && word.test(text))) && !link.closest('td, th');
      if (!isEmpty && !isCommand) continue;
      const item = link.parentElement;
      const isAlone = item?.nodeName === 'LI' && textOf(item) === text;
      (isAlone ? item : link).remove();
    }
  }

  /** Boxes that end with a field for an address of mail, and lists of further pages under a heading that says so. */
  function removeBoxes(): void {
    const boxOf = (start: Element, lengthMax: number): Element => {
      let box = start;
      for (let up = box.parentElement; up && !isLarge(up, 0.4); up = up.parentElement) {
        if (!/^(DIV|SECTION|ASIDE|FORM|UL|P|FIELDSET|TABLE|TBODY|TR|TD)$/.test(up.nodeName)) break;
        if (textOf(up).length > lengthMax) break;
        box = up;
      }
      return box;
    };
    for (const field of all('input[type="email"], input[type="password"], input[data-name*="email" i]')) {
      const form = field.closest('form');
      // Some sites put the whole page into a form.
      if (form && !isLarge(form, 0.4)) remove(boxOf(form, 260));
      else remove(boxOf(field, 120));
    }
    const others =
      /^(related( (posts|articles|stories|topics|content|links|products))?|read (also|more|next)|more (from|stories|on|to) .*|you (may|might) also (like|enjoy)|recommended( for you)?|most (read|popular)|popular (posts|now)|trending( now)?|recent posts|recently viewed|who is online|members online|share this( article| post)?|hot network questions|leave a (reply|comment)|your answer|never miss an update|current browse context):?$/i;
    for (const heading of all('h2, h3, h4, h5, h6, strong, b, p, span')) {
      const box = heading.parentElement;
      if (!heading.isConnected || !box || isLarge(box, 0.4)) continue;
      const text = textOf(heading);
      if (text.length > 60 || !others.test(text) || heading.closest('table, pre, li, blockquote')) continue;
      const isHeading = /^H\d$/.test(heading.nodeName) && !/^more (on|to) /i.test(text);
      if (linkShare(box) > 0.3 || (isHeading && textOf(box).length < 400)) remove(boxOf(box, 400));
    }
    for (const element of all(
      'input:not([type="checkbox"]), label:has(input:not([type="checkbox"])), progress, meter',
    ))
      element.remove();
  }

  writeFormulas();
  writeRatings();
  writeVotes();
  writeCode();
  removeSilent();
  separateWords();
  if (isWhole) return;
  removeSurroundings();
  removeBoxes();
  removeByName();
  removeByText();
}
