/** The paper of a document, in CSS pixels. */
interface PageArea {
  readonly paperWidth: number;
  readonly paperHeight: number;
  /** The width that the margins leave. */
  readonly width: number;
  readonly marginLeft: number;
  readonly marginTop: number;
  readonly hasMargins: boolean;
  /** The style sheets with text for the margins of pages, and how high the lowest or wide the narrowest of these margins is. */
  readonly marginTexts: readonly { readonly sheet: Element; readonly room: number }[];
}

/** Runs inside the browser: what `@page` makes of A4. It may turn the page and set margins. Needs no layout for usual margins. */
export function readPageArea(): PageArea {
  const page: Record<string, string> = {};
  /** The pages at whose margins something else is set: the first, left and right ones, and those with a name. */
  const others: CSSPageDescriptors[] = [];
  const withTexts = new Map<Element, [side: string, on: CSSPageDescriptors][]>();
  const addTexts = (page: CSSPageRule, sheet: Element) => {
    for (const rule of page.cssRules) {
      if (!('style' in rule && rule.style instanceof CSSStyleDeclaration)) continue;
      const [, side = ''] = /^@(top|bottom|left|right)-/.exec(rule.cssText) ?? [];
      if (/^(|none|normal|""|'')$/.test(rule.style.content) || side === '') continue;
      withTexts.set(sheet, [...(withTexts.get(sheet) ?? []), [`margin-${side}`, page.style]]);
    }
  };
  const readRules = (rules: CSSRuleList, sheet: Element) => {
    for (const rule of rules) {
      if (rule instanceof CSSPageRule) addTexts(rule, sheet);
      if (rule instanceof CSSPageRule && rule.selectorText === '')
        for (const name of ['size', 'margin-left', 'margin-right', 'margin-top', 'margin-bottom'])
          page[name] = rule.style.getPropertyValue(name) || page[name] || '';
      // A page that is turned has another width, and its margins say nothing about the others.
      else if (rule instanceof CSSPageRule && rule.style.getPropertyValue('size') === '')
        others.push(rule.style);
      else if (rule instanceof CSSMediaRule && matchMedia(rule.conditionText).matches)
        readRules(rule.cssRules, sheet);
      else if (rule instanceof CSSSupportsRule || rule instanceof CSSLayerBlockRule)
        readRules(rule.cssRules, sheet);
    }
  };
  const sheets: StyleSheetList = Object.getOwnPropertyDescriptor(
    Document.prototype,
    'styleSheets',
  )?.get?.call(document);
  for (const sheet of sheets)
    if (sheet.ownerNode instanceof Element) readRules(sheet.cssRules, sheet.ownerNode);

  const paper = /landscape/.test(page.size ?? '') ? [1122.5, 793.7] : [793.7, 1122.5];
  const [paperWidth = 0, paperHeight = 0] = paper;
  const defaultMargin = 38.4;
  /** The length of a margin in units that depend on a font or on the page. */
  const lengthInLayout = (value: string): number => {
    const root = Document.prototype.querySelector.call(document, ':root');
    const probe = Document.prototype.createElement.call(document, 'div') as HTMLElement;
    for (const [name, set] of [
      ['position', 'absolute'],
      ['visibility', 'hidden'],
      ['padding-left', value],
    ] as const)
      probe.style.setProperty(name, set, 'important');
    root?.append(probe);
    const padding = Number.parseFloat(getComputedStyle(probe).paddingLeft);
    probe.remove();
    return padding;
  };
  const lengthOf = (value: string | undefined): number => {
    if (!value || value === 'auto') return defaultMargin;
    if (/^[-\d.]+%$/.test(value)) return (Number.parseFloat(value) / 100) * paperWidth;
    try {
      return CSSNumericValue.parse(value).to('px').value;
    } catch {
      return lengthInLayout(value);
    }
  };
  const marginLeft = lengthOf(page['margin-left']);
  const marginTop = lengthOf(page['margin-top']);
  const marginOf = (style: CSSPageDescriptors, name: string) =>
    lengthOf(style.getPropertyValue(name) || page[name]);
  // What fits on the narrowest pages fits on all.
  const margins = Math.max(
    marginLeft + lengthOf(page['margin-right']),
    ...others.map((style) => marginOf(style, 'margin-left') + marginOf(style, 'margin-right')),
  );
  const left = paperWidth - margins;
  const width = Number.isFinite(left)
    ? Math.min(paperWidth, Math.max(1, left))
    : paperWidth - 2 * defaultMargin;
  const hasMargins = Boolean(page['margin-top']);
  const marginTexts = [...withTexts].map(([sheet, texts]) => ({
    sheet,
    room: Math.min(...texts.map(([side, on]) => marginOf(on, side))),
  }));
  return { paperWidth, paperHeight, width, marginLeft, marginTop, hasMargins, marginTexts };
}
