import { all, textOf } from './dom';
import { texOf } from './formulas';

/**
 * Writes down as text what a page shows only with attributes, styles or scripts: formulas, ratings, votes, code.
 */
export function spellOut(page: Document): void {
  writeFormulas(page);
  writeRatings(page);
  writeVotes(page);
  writeCode(page);
}

/** Writes formulas as TeX if the page contains their source. */
function writeFormulas(page: Document): void {
  const write = (place: Element, tex: string, isBlock: boolean) => {
    const code = page.createElement('code');
    code.setAttribute('data-formula', isBlock ? 'block' : 'inline');
    code.textContent = tex.trim().replace(/^\{\\displaystyle ([\s\S]*)\}$/, '$1');
    place.replaceWith(code);
  };
  const mathIn = (markup: string) =>
    new DOMParser().parseFromString(markup, 'text/html').querySelector('math');
  for (const script of all('script[type^="math/"]', page)) {
    // What MathJax 2 made of it.
    for (let before = script.previousElementSibling; before; before = script.previousElementSibling) {
      const isBeside = before.nextSibling === script || (before.nextSibling?.textContent ?? '').trim() === '';
      if (!isBeside || !/(^|\s)(MathJax|mjx|MJX)/.test(before.getAttribute('class') ?? '')) break;
      before.remove();
    }
    const type = script.getAttribute('type') ?? '';
    const math = /mml/.test(type) ? mathIn(script.textContent ?? '') : null;
    write(script, math ? texOf(math) : (script.textContent ?? ''), /display/.test(type));
  }
  // MathJax 2 without its source, and MathJax 4, which has no MathML beside what it draws.
  for (const drawn of all('[data-mathml]', page)) {
    const math = mathIn(drawn.getAttribute('data-mathml') ?? '');
    if (math && !drawn.querySelector('math'))
      write(
        drawn.closest('.MathJax_Display, .MathJax_SVG_Display') ?? drawn,
        sourceOf(math),
        drawn.closest('[class*="Display"]') !== null,
      );
  }
  for (const container of all('mjx-container', page)) {
    const tex = container.querySelector('[data-latex]')?.getAttribute('data-latex');
    const spoken = container.querySelector('math') ? null : container.getAttribute('aria-label');
    if (tex ?? spoken)
      write(container, tex ?? `\\text{${spoken}}`, container.getAttribute('display') === 'true');
  }
  for (const math of all('math', page)) {
    if (!math.isConnected) continue;
    const source = sourceOf(math);
    if (source === '') continue;
    const block = math.closest(
      '.katex-display, mjx-container[display="true"], .mwe-math-element-block, .MathJax_Display, .MathJax_SVG_Display, .MJXc-display',
    );
    const inline = math.closest(
      '.katex, mjx-container, .mwe-math-element, .MathJax, .MathJax_SVG, .mjx-chtml',
    );
    write(block ?? inline ?? math, source, block !== null || math.getAttribute('display') === 'block');
  }
}

/** The TeX that a formula names as its source, or else what it says in MathML. */
function sourceOf(math: Element): string {
  const source = math.querySelector(':scope > semantics > annotation[encoding*="tex" i]')?.textContent;
  return source?.trim() || math.getAttribute('alttext') || texOf(math);
}

/** Writes ratings, which most pages draw as stars with the value in an attribute. */
function writeRatings(page: Document): void {
  const rating =
    /\d([.,]\d+)?\s*(out of|\/|of|von|sur|su|de|av|van|из)\s*(5|10|100)\b|^\s*(rated\s*)?\d([.,]\d+)?\s*stars?\b/i;
  /** A place in a series of images or steps. */
  const isPlace = /\b(image|photo|picture|slide|page|step|item|video|thumbnail)\b/i;
  for (const element of all('[aria-label], [title]', page)) {
    if (/^(A|IMG|HTML|BODY|IFRAME|MAIN)$/.test(element.nodeName)) continue;
    const label = [element.getAttribute('aria-label'), element.getAttribute('title')].find(
      (text) => text !== null && text.length < 80 && rating.test(text) && !isPlace.test(text),
    );
    if (!label || /\d/.test(textOf(element))) continue;
    const line = page.createElement('p');
    line.textContent = /rat/i.test(label) ? label : `Rating: ${label}`;
    element.replaceWith(line);
  }
  for (const meta of all('body meta[itemprop="ratingValue"][content]', page)) {
    const value = meta.getAttribute('content') ?? '';
    const scope = meta.closest('[itemscope]') ?? meta.parentElement;
    if (!scope || textOf(scope).includes(value)) continue;
    const count = scope.querySelector('meta[itemprop="reviewCount"], meta[itemprop="ratingCount"]');
    const line = page.createElement('p');
    line.textContent = `Rating: ${value}${count ? ` (${count.getAttribute('content')} ratings)` : ''}`;
    meta.replaceWith(line);
  }
}

/** Labels votes of questions and answers, which are bare numbers beside arrows. */
function writeVotes(page: Document): void {
  for (const element of all('[itemprop="upvoteCount"]', page)) {
    const count = textOf(element);
    if (/^-?[\d.,]+k?$/.test(count)) element.textContent = `Votes: ${count}`;
  }
}

function languageOf(pre: Element): string | undefined {
  const places: (Element | null)[] = [pre.querySelector('code'), pre];
  const length = (pre.textContent ?? '').length;
  for (let up = pre.parentElement; up && places.length < 6; up = up.parentElement) {
    // An element with more than the block does not name its language.
    if ((up.textContent ?? '').length > length + 100) break;
    places.push(up);
  }
  const unnamed =
    /^(linenums|nogutter|en|de|fr|es|it|default|none|text|plain|plaintext|plain-text|block|wrapper|notranslate)$/i;
  const names = places.flatMap((place) => [
    /(?:^|\s)(?:language|lang|highlight-source|highlight|brush:)[-\s]([\w+#-]+)/i.exec(
      place?.getAttribute('class') ?? '',
    )?.[1],
    /(?:^|\s)(?:hljs|sourceCode|prettyprint|syntaxhighlighter)\s+(?:language-|lang-)?([a-z][\w+#-]*)/i.exec(
      place?.getAttribute('class') ?? '',
    )?.[1],
    place?.nodeName === 'PRE' ? place.getAttribute('lang') : null,
    place?.getAttribute('data-lang'),
    place?.getAttribute('data-language'),
  ]);
  return names.find((name) => name && !unnamed.test(name))?.toLowerCase();
}

/** Writes every code block as `<pre><code>`, without line numbers and buttons. */
function writeCode(page: Document): void {
  for (const table of all('table', page)) {
    const pres = all('pre', table);
    const isNumbers = (pre: Element) => /^[\d\s]*$/.test(pre.textContent ?? '');
    const [code] = pres.filter((pre) => !isNumbers(pre));
    const isOnlyCode = code && textOf(table).replace(/^[\d\s]+/, '') === textOf(code).replace(/^[\d\s]+/, '');
    if (isOnlyCode && pres.length <= 2) table.replaceWith(code);
  }
  for (const highlighter of all('.syntaxhighlighter', page)) {
    const lines = all('.code .line', highlighter);
    if (lines.length === 0) continue;
    const pre = page.createElement('pre');
    pre.className = highlighter.className;
    pre.textContent = lines.map((line) => (line.textContent ?? '').replace(/\u00a0/g, ' ')).join('\n');
    highlighter.replaceWith(pre);
  }
  // Several lines of code without <pre>.
  for (const code of all('code', page)) {
    if (code.querySelector('br') === null || code.closest('pre')) continue;
    const pre = page.createElement('pre');
    code.replaceWith(pre);
    pre.append(code);
  }
  const numbers =
    '.linenos, .lineno, .linenumber, .line-number, .line-numbers-rows, .gutter, .hljs-ln-numbers';
  for (const pre of all('pre', page)) {
    for (const extra of all(`${numbers}, button, clipboard-copy, style, script`, pre)) extra.remove();
    for (const end of all('br', pre)) end.replaceWith('\n');
    // Items of a list and rows of a table are lines whatever white space is between them.
    const rows = all('ol.linenums > li, .hljs-ln-code', pre);
    const lines =
      rows.length > 0
        ? rows
        : all('.line, .token-line, .code-line, [data-line], code > div, code > span[style*="block" i]', pre);
    const isUnbroken =
      rows.length > 0 || (lines.length > 1 && !(pre.textContent ?? '').trim().includes('\n'));
    const text = isUnbroken ? lines.map((line) => line.textContent).join('\n') : (pre.textContent ?? '');
    const language = languageOf(pre);
    const code = page.createElement('code');
    if (language) code.className = `language-${language}`;
    code.textContent = text.replace(/^(\s*\n)+/, '').trimEnd();
    pre.replaceChildren(code);
    if (code.textContent === '') pre.remove();
  }
}
