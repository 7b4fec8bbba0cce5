import type { DocumentTools } from './document-tools';

/**
 * Runs inside the browser: shows what style sheets show only to somebody who chooses it, such as tabs and accordions made of check boxes.
 * What the author hides on paper with `@media print` stays hidden.
 * @returns what stays hidden although a screen can show it: below the pointer, in a wider window, or too short to be more than a mark
 */
export function revealByRules(tools: DocumentTools): readonly Element[] {
  const { all, parentOf, set, textsOf, isSeen, rectOf, root } = tools;
  interface Rule {
    readonly selector: string;
    readonly style: CSSStyleDeclaration;
  }
  const [chosen, otherwise, onPaper]: [Rule[], Rule[], Rule[]] = [[], [], []];
  const state = /:(checked|target|hover|focus|focus-within|focus-visible|active)(?![\w-])/g;
  const shows = ({ display, visibility, opacity, height, maxHeight }: CSSStyleDeclaration) =>
    !/^(|none)$/.test(display) ||
    visibility === 'visible' ||
    Number(opacity) > 0 ||
    [height, maxHeight].some((length) => !/^(|0[a-z%]*)$/.test(length));
  const hides = ({ display, visibility, opacity }: CSSStyleDeclaration) =>
    display === 'none' || /hidden|collapse/.test(visibility) || (opacity !== '' && Number(opacity) === 0);

  /** @param media the query around the rules, unless it decides nothing that matters here */
  const readRules = (rules: CSSRuleList, media: 'wider' | 'narrow' | 'print' | null, around: string) => {
    const add = (selector: string, style: CSSStyleDeclaration) => {
      const anyState = selector.replace(state, ':is(*)');
      if (media === 'print' && hides(style)) onPaper.push({ selector, style });
      else if (media === 'wider' && shows(style)) otherwise.push({ selector: anyState, style });
      else if (media === 'narrow' && hides(style)) otherwise.push({ selector, style });
      else if (media !== 'wider' && anyState !== selector && shows(style))
        (/:(checked|target)/.test(selector) ? chosen : otherwise).push({ selector: anyState, style });
    };
    for (const rule of rules) {
      if (rule instanceof CSSStyleRule) {
        const { selectorText } = rule;
        const nested = selectorText.includes('&')
          ? selectorText.replaceAll('&', `:is(${around})`)
          : `:is(${around}) ${selectorText}`;
        const selector = around === '' ? selectorText : nested;
        add(selector, rule.style);
        readRules(rule.cssRules, media, selector);
      } else if (rule instanceof CSSMediaRule) {
        const query = rule.conditionText;
        const isMatching = matchMedia(query).matches;
        if (/print/.test(query)) {
          if (isMatching) readRules(rule.cssRules, 'print', around);
        } else if (isMatching)
          readRules(rule.cssRules, /max-width|width <|< width/.test(query) ? 'narrow' : media, around);
        else if (/min-width|width >|> width/.test(query)) readRules(rule.cssRules, 'wider', around);
      } else if (rule instanceof CSSNestedDeclarations) add(around, rule.style);
      else if (rule instanceof CSSSupportsRule || rule instanceof CSSLayerBlockRule)
        readRules(rule.cssRules, media, around);
    }
  };
  const sheets: StyleSheetList = Object.getOwnPropertyDescriptor(
    Document.prototype,
    'styleSheets',
  )?.get?.call(document);
  for (const sheet of sheets)
    readRules(sheet.cssRules, /print/.test(sheet.media.mediaText) ? 'print' : null, '');

  const wordsOf = (element: Element) =>
    [...textsOf(element)].flatMap(({ data }) => data.match(/[\p{L}\p{N}]+/gu) ?? []);
  const isShown = (element: Element) => isSeen(element) && rectOf(element).height >= 2;
  const matched = ({ selector }: Rule): HTMLElement[] => {
    try {
      return all(selector).filter((one): one is HTMLElement => one instanceof HTMLElement);
    } catch {
      return [];
    }
  };
  const forScreens = new Set(onPaper.flatMap(matched));
  const isForScreens = (element: Element): boolean => {
    for (let one: Element | null = element; one; one = parentOf(one))
      if (one instanceof HTMLElement && forScreens.has(one)) return true;
    return false;
  };
  const hiddenBy = (rule: Rule) =>
    matched(rule).filter((element) => !isShown(element) && !isForScreens(element));

  // A word may be a mark, such as the state of a switch, which would be false beside its opposite. Two words are only named.
  const wordsMin = 3;
  const closed = new Set<Element>();
  for (const rule of chosen)
    for (const element of hiddenBy(rule)) {
      const words = wordsOf(element).length;
      if (words > 1 && words < wordsMin) closed.add(element);
      if (words < wordsMin) continue;
      for (const name of rule.style) set(element, { [name]: rule.style.getPropertyValue(name) });
      if (/absolute|fixed/.test(getComputedStyle(element).position)) set(element, { position: 'static' });
    }

  for (const rule of otherwise) for (const element of hiddenBy(rule)) closed.add(element);
  if (closed.size === 0 || !root) return [];
  const shown = [...textsOf(root)]
    .filter((text) => {
      const parent = parentOf(text);
      return parent !== null && isSeen(parent);
    })
    .map(({ data }) => data)
    .join(' ')
    .replace(/\s+/g, ' ');
  /** Pages show some parts in one way to wide windows and in another way to narrow ones. */
  const isElsewhere = (element: Element) =>
    [...textsOf(element)].every(({ data }) => shown.includes(data.replace(/\s+/g, ' ').trim()));
  return [...closed].filter((element) => {
    const parent = parentOf(element);
    return parent !== null && isSeen(parent) && !isShown(element) && !isElsewhere(element);
  });
}
