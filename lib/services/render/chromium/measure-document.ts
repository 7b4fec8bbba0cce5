import type { readPageArea } from './page-area';

/** How a document is laid out before it is printed. */
export interface Layout {
  /** The width of a page without its margins, in CSS pixels. */
  readonly width: number;
  /** Whether a part is as tall as the paper, so that pages have no margins. */
  readonly isTall: boolean;
}

interface Measuring extends Layout {
  /** Whether the document is measured in this layout even if it asks for another. */
  readonly isFinal: boolean;
  /** What reaches farther than this is cut. */
  readonly widthMax: number;
  readonly namedMax: number;
}

interface Found {
  readonly contentWidth: number;
  readonly cut: readonly string[];
}

/**
 * Runs inside the browser. Layout is the expensive part, so pages of another width are noticed before the first one, and nothing
 * changes the document afterwards unless it hides something.
 * @returns the layout for this document if that is another one; otherwise what was found
 */
export function measureDocument(
  { width: areaWidth, isTall, isFinal, widthMax, namedMax }: Measuring,
  readPage: typeof readPageArea,
): { readonly layout: Layout } | Found {
  const slack = 1.5;
  const root = Document.prototype.querySelector.call(document, ':root');
  const all = (selector: string) => [...Document.prototype.querySelectorAll.call(document, selector)];
  // A form's fields can hide its properties.
  const isBox = (element: unknown) => element instanceof HTMLElement && !(element instanceof HTMLFormElement);
  if (!(root instanceof HTMLElement)) return { contentWidth: 0, cut: [] };
  const body = [...root.children].find((element) => element instanceof HTMLBodyElement);
  const page = readPage();
  const width = isTall ? page.paperWidth : page.width;
  if (!isFinal && Math.abs(width - areaWidth) > slack) return { layout: { width, isTall } };
  const isAsTallAsPaper = (element: Element) =>
    isBox(element) && Math.abs(element.getBoundingClientRect().height - page.paperHeight) < 2;
  if (!isFinal && !isTall && !page.hasMargins && [...(body?.children ?? [])].some(isAsTallAsPaper))
    return { layout: { width: page.paperWidth, isTall: true } };

  for (const details of all('details:not([open])')) {
    // Of details with one name, only one can be open.
    details.removeAttribute('name');
    details.setAttribute('open', '');
  }

  // Time stands still on paper: what has an end is shown as it is then, and what has none as it is without its animation.
  for (const animation of Document.prototype.getAnimations.call(document)) {
    try {
      animation.finish();
    } catch {
      animation.cancel();
    }
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

  return { contentWidth, cut: [...cut].slice(0, namedMax).map(nameOf) };
}
