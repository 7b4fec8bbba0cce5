import type { CDPSession } from 'puppeteer-core';
import { z } from 'zod';

/** A4 without the default margins of 0.4 inch, in CSS pixels. */
const defaultArea = { width: 717, height: 1046 } as const;

/** Content wider than the page is printed smaller, but never smaller than this. */
const scaleMin = 0.3;
/** Widths differ by fractions of a pixel. */
const tolerancePx = 1.5;
/** How many elements a warning names. */
const namedMax = 20;

const pixels = z.number().min(0).max(1e9);
const measured = z.strictObject({
  areaWidth: pixels,
  contentWidth: pixels,
  isTall: z.boolean(),
  hasEmptyPages: z.boolean(),
  cut: z.array(z.string().regex(/^[a-z0-9-]{1,32} \d{1,6}$/)).max(namedMax),
});

/** How a document is printed so that nothing is lost. */
export interface Fit {
  /** 1, or less for a document wider than the page. */
  readonly scale: number;
  /** Whether a part is as tall as the paper, so that its author expects pages without margins. */
  readonly isTall: boolean;
  /** Whether the document asks for pages with nothing on them. */
  readonly hasEmptyPages: boolean;
  /** The elements whose text is cut, each as its tag and its number among the elements with this tag: `td 14`. */
  readonly cut: readonly string[];
}

/**
 * Shows what a reader of paper could not get at (closed details, the rest of a box with a scroll bar or of a text field), and
 * measures the document.
 */
export async function fitDocument(session: CDPSession): Promise<Fit> {
  let found = await measure(session, defaultArea.width, defaultArea.width / scaleMin);
  if (Math.abs(found.areaWidth - defaultArea.width) > tolerancePx) {
    const width = Math.max(1, Math.round(found.areaWidth));
    await session.send('Emulation.setDeviceMetricsOverride', { ...screen, width });
    found = await measure(session, width, width / scaleMin);
  }
  const { areaWidth, contentWidth, ...rest } = found;
  const isTooWide = contentWidth > areaWidth + tolerancePx;
  return { scale: isTooWide ? Math.max(scaleMin, areaWidth / contentWidth) : 1, ...rest };
}

/** The screen on which a document is laid out before it is printed. */
export const screen = { ...defaultArea, deviceScaleFactor: 1, mobile: false } as const;

async function measure(session: CDPSession, areaWidth: number, widthMax: number) {
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    expression: `(() => { const __name = (named) => named; return (${measureDocument})(${JSON.stringify({ areaWidth, widthMax, namedMax })}); })()`,
    returnByValue: true,
  });
  if (exceptionDetails) throw new Error('the document could not be measured');
  return measured.parse(result.value);
}

/**
 * Runs inside the browser, where it is passed as source text, so it may use nothing from outside the function. A document's
 * own scripts never run, but its elements can hide methods of `document`, so those come from the prototype.
 */
function measureDocument({
  areaWidth,
  widthMax,
  namedMax,
}: {
  areaWidth: number;
  widthMax: number;
  namedMax: number;
}) {
  const slack = 1.5;
  const root = Document.prototype.querySelector.call(document, ':root');
  const all = (selector: string) => [...Document.prototype.querySelectorAll.call(document, selector)];
  // A form's fields can hide its properties.
  const isBox = (element: unknown) => element instanceof HTMLElement && !(element instanceof HTMLFormElement);
  if (!(root instanceof HTMLElement))
    return { areaWidth, contentWidth: 0, isTall: false, hasEmptyPages: false, cut: [] };
  const body = [...root.children].find((element) => element instanceof HTMLBodyElement);
  const sheets: StyleSheetList = Object.getOwnPropertyDescriptor(
    Document.prototype,
    'styleSheets',
  )?.get?.call(document);

  for (const details of all('details:not([open])')) {
    // Of details with one name, only one can be open.
    details.removeAttribute('name');
    details.setAttribute('open', '');
  }

  const overflows = (element: Element) =>
    element.scrollHeight > element.clientHeight + slack || element.scrollWidth > element.clientWidth + slack;
  const set = (element: HTMLElement, values: Record<string, string>) => {
    for (const [name, value] of Object.entries(values))
      CSSStyleDeclaration.prototype.setProperty.call(element.style, name, value, 'important');
  };
  const clipping: HTMLElement[] = [];
  for (const element of all('*')) {
    if (!isBox(element) || !overflows(element)) continue;
    const box = element as HTMLElement;
    if (box.localName === 'textarea') {
      set(box, {
        height: `${box.scrollHeight + box.offsetHeight - box.clientHeight}px`,
        'max-height': 'none',
      });
      continue;
    }
    const { overflowX, overflowY } = getComputedStyle(box);
    const isPage = box === root || box === body;
    const scrolls = (overflow: string) =>
      overflow === 'auto' || overflow === 'scroll' || (isPage && overflow === 'hidden');
    if (scrolls(overflowX) || scrolls(overflowY))
      set(box, { overflow: 'visible', height: 'auto', 'max-height': 'none', bottom: 'auto' });
    else if (overflowX !== 'visible' || overflowY !== 'visible') clipping.push(box);
  }

  const textOf = function* (element: Element): Generator<Text> {
    const walker = Document.prototype.createTreeWalker.call(document, element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode())
      if (node instanceof Text && node.data.trim() !== '') yield node;
  };
  const boxesOf = (text: Text): DOMRect[] => {
    const range = Document.prototype.createRange.call(document);
    range.selectNodeContents(text);
    return [...range.getClientRects()];
  };

  const cut = new Set<Element>();
  for (const box of clipping) {
    const { left, right, top, bottom, width, height } = box.getBoundingClientRect();
    // A box of a pixel hides text for screen readers, which get it from the PDF too.
    if (width <= 2 || height <= 2) continue;
    for (const text of textOf(box)) {
      const isCut = boxesOf(text).some(
        (line) =>
          line.width > 0 &&
          (line.right > right + slack ||
            line.bottom > bottom + slack * 2 ||
            line.left < left - slack ||
            line.top < top - slack * 2),
      );
      if (!isCut) continue;
      cut.add(box);
      break;
    }
  }

  let contentWidth = areaWidth;
  if (root.scrollWidth > areaWidth + slack) {
    const isInside = (element: Element | null): boolean =>
      clipping.some((box) => box !== element && element !== null && box.contains(element));
    const reach = (element: Element, rights: number[]) => {
      const right = Math.max(0, ...rights) + root.scrollLeft;
      if (right <= areaWidth + slack || isInside(element)) return;
      contentWidth = Math.max(contentWidth, right);
      if (right > widthMax + slack) cut.add(element);
    };
    for (const text of textOf(root)) {
      const parent = text.parentElement;
      if (parent)
        reach(
          parent,
          boxesOf(text).map(({ right }) => right),
        );
    }
    for (const image of all('img, svg, table, hr, input, textarea, button, select, progress, meter'))
      reach(image, [image.getBoundingClientRect().right]);
  }

  const nameOf = (element: Element) => {
    const tag = /^[a-z][a-z0-9-]{0,30}$/.test(element.localName) ? element.localName : 'element';
    const alike = tag === 'element' ? all('*') : all(tag);
    return `${tag} ${Math.min(alike.indexOf(element) + 1, 999_999)}`;
  };

  // The width that `@page` leaves: it may turn the page and set margins.
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
  for (const sheet of sheets) readRules(sheet.cssRules);
  const paper = /landscape/.test(page.size ?? '') ? [1122.5, 793.7] : [793.7, 1122.5];
  const [paperWidth = 0, paperHeight = 0] = paper;
  const defaultMargin = 38.4;
  const lengthOf = (value: string | undefined): number => {
    if (!value || value === 'auto') return defaultMargin;
    const probe = Document.prototype.createElement.call(document, 'div') as HTMLElement;
    set(probe, { position: 'absolute', visibility: 'hidden', 'padding-left': value });
    root.append(probe);
    const padding = Number.parseFloat(getComputedStyle(probe).paddingLeft);
    probe.remove();
    return value.endsWith('%') ? (Number.parseFloat(value) / 100) * paperWidth : padding;
  };
  const area = Math.max(1, paperWidth - lengthOf(page['margin-left']) - lengthOf(page['margin-right']));

  const hasMargins = (page['margin-top'] ?? '') !== '';
  const isAsTallAsPaper = (element: Element) =>
    Math.abs(element.getBoundingClientRect().height - paperHeight) < 2;
  const isTall =
    !hasMargins && [...(body?.children ?? [])].some((element) => isBox(element) && isAsTallAsPaper(element));

  // Somebody who breaks the page at an element with nothing in it wants an empty page.
  const breaks = /^(page|left|right|recto|verso|always)$/;
  const hasEmptyPages = all('body *').some((element) => {
    if (!isBox(element) || element.childElementCount > 0 || (element.textContent ?? '').trim() !== '')
      return false;
    const { breakAfter, breakBefore, height } = getComputedStyle(element);
    return (breaks.test(breakAfter) || breaks.test(breakBefore)) && Number.parseFloat(height) < 2;
  });
  return {
    areaWidth: isTall ? paperWidth : area,
    contentWidth,
    isTall,
    hasEmptyPages,
    cut: [...cut].slice(0, namedMax).map(nameOf),
  };
}
