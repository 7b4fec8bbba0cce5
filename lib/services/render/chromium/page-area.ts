/** The paper of a document, in CSS pixels. */
interface PageArea {
  readonly paperWidth: number;
  readonly paperHeight: number;
  /** The width that the margins leave. */
  readonly width: number;
  readonly marginLeft: number;
  readonly marginTop: number;
  readonly hasMargins: boolean;
}

/** Runs inside the browser: what `@page` makes of A4. It may turn the page and set margins. Needs no layout for usual margins. */
export function readPageArea(): PageArea {
  const page: Record<string, string> = {};
  const readRules = (rules: CSSRuleList) => {
    for (const rule of rules) {
      if (rule instanceof CSSPageRule && rule.selectorText === '')
        for (const name of ['size', 'margin-left', 'margin-right', 'margin-top'])
          page[name] = rule.style.getPropertyValue(name) || page[name] || '';
      else if (rule instanceof CSSMediaRule && matchMedia(rule.conditionText).matches)
        readRules(rule.cssRules);
    }
  };
  const sheets: StyleSheetList = Object.getOwnPropertyDescriptor(
    Document.prototype,
    'styleSheets',
  )?.get?.call(document);
  for (const sheet of sheets) readRules(sheet.cssRules);

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
  const left = paperWidth - marginLeft - lengthOf(page['margin-right']);
  const width = Number.isFinite(left)
    ? Math.min(paperWidth, Math.max(1, left))
    : paperWidth - 2 * defaultMargin;
  const hasMargins = Boolean(page['margin-top']);
  return { paperWidth, paperHeight, width, marginLeft, marginTop, hasMargins };
}
