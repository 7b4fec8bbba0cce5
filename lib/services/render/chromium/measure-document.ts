import type { documentTools } from './document-tools';
import type { findBeyond } from './find-beyond';
import type { findBroken } from './find-broken';
import type { findCovering } from './find-covered';
import type { readPageArea } from './page-area';
import type { revealByRules } from './reveal-by-rules';
import type { revealContent } from './reveal-content';

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
  /** Whether the document may have boxes with these styles. */
  readonly mayBeFixed: boolean;
  readonly mayClip: boolean;
  readonly mayReveal: boolean;
  readonly mayBreak: boolean;
}

interface Found {
  readonly contentWidth: number;
  readonly cut: readonly string[];
  /** The color of every page: red, green and blue. */
  readonly background: readonly [number, number, number];
}

/**
 * Runs inside the browser. Layout is the expensive part, so pages of another width are noticed before the first one, and nothing
 * changes the document afterwards unless it hides something.
 * @returns the layout for this document if that is another one; otherwise what was found
 */
export async function measureDocument(
  { width: areaWidth, isTall, isFinal, widthMax, namedMax, ...styles }: Measuring,
  readPage: typeof readPageArea,
  makeTools: typeof documentTools,
  reveal: typeof revealContent,
  beyond: typeof findBeyond,
  byRules: typeof revealByRules,
  broken: typeof findBroken,
  covering: typeof findCovering,
): Promise<{ readonly layout: Layout } | Found> {
  const { mayBeFixed, mayClip, mayReveal, mayBreak } = styles;
  const tools = makeTools();
  const {
    all,
    textsOf,
    linesOf,
    isSeen,
    isWider,
    isTaller,
    rectOf,
    parentOf,
    childrenOf,
    localNameOf,
    root,
    slack,
  } = tools;
  if (!(root instanceof HTMLElement)) return { contentWidth: 0, cut: [], background: [255, 255, 255] };
  const body = all('body')[0];
  const page = readPage();
  const width = isTall ? page.paperWidth : page.width;
  if (!isFinal && Math.abs(width - areaWidth) > slack) return { layout: { width, isTall } };
  /** Whether it or a part of it is as tall as the paper. */
  const hasSheet = (element: Element, depth: number): boolean => {
    if (!(element instanceof HTMLElement)) return false;
    const { height } = rectOf(element);
    if (Math.abs(height - page.paperHeight) < 2) return true;
    return (
      depth < 3 && height > page.paperHeight && childrenOf(element).some((one) => hasSheet(one, depth + 1))
    );
  };
  if (!isFinal && !isTall && !page.hasMargins && [...(body?.children ?? [])].some((one) => hasSheet(one, 0)))
    return { layout: { width: page.paperWidth, isTall: true } };

  const margins = isTall ? { marginLeft: 0, marginTop: 0 } : page;
  const pageHeight = page.paperHeight - 2 * margins.marginTop;
  const hiddenByRules = mayReveal ? byRules(tools) : [];
  const closed = [...hiddenByRules, ...reveal(tools, { mayBeFixed, mayClip, pageHeight })];
  const cut = new Set<Element>();
  const addIfText = (element: Element) => {
    if (
      /[\p{L}\p{N}]/u.test(Object.getOwnPropertyDescriptor(Node.prototype, 'textContent')?.get?.call(element))
    )
      cut.add(element);
  };
  closed.forEach(addIfText);

  const clipping: Element[] = [];
  for (const box of all('*')) {
    if (box === root || box === body) continue;
    const isDrawing = box instanceof SVGElement;
    const mayCut = isDrawing ? /^(svg|foreignObject)$/.test(localNameOf(box)) : isWider(box) || isTaller(box);
    if (!mayCut || (isDrawing && localNameOf(box) === 'svg' && parentOf(box) instanceof SVGElement)) continue;
    const { overflowX, overflowY, contain } = getComputedStyle(box);
    const isContained = /paint|strict|content/.test(contain);
    if (isContained || overflowX !== 'visible' || overflowY !== 'visible') clipping.push(box);
  }
  for (const box of clipping) {
    const { left, right, top, bottom, width, height } = rectOf(box);
    // A box of a pixel hides text for screen readers, which get it from the PDF too.
    if (width <= 2 && height <= 2) continue;
    const isDrawing = box instanceof SVGElement;
    for (const text of textsOf(box)) {
      const isCut = linesOf(text).some((line) => {
        // Letters of drawings are lower than their lines.
        const above = isDrawing ? line.height / 2 : slack * 2;
        return (
          line.right > right + slack ||
          line.bottom > bottom + above ||
          line.left < left - slack ||
          line.top < top - above
        );
      });
      const parent = parentOf(text);
      if (!isCut || !parent || !isSeen(parent) || !/[\p{L}\p{N}]/u.test(text.data)) continue;
      cut.add(box);
      break;
    }
  }

  /** Whether something is shown at the ends of a line, and something is not. What is hidden as a whole is hidden by its author. */
  const isPartlyClipped = (box: Element): boolean => {
    let [shown, hidden, looks] = [0, 0, 0];
    for (const text of textsOf(box)) {
      const parent = parentOf(text);
      const { length } = linesOf(text);
      for (let at = 0; parent && at < length && looks < 400 && (shown === 0 || hidden === 0); at += 1) {
        looks += 1;
        const first = linesOf(text)[at];
        if (!first || first.width < 2) continue;
        if (first.top < 0 || first.bottom > window.innerHeight) scrollBy(0, first.top - 100);
        const line = linesOf(text)[at] ?? first;
        for (const x of [line.left + 1, line.right - 1]) {
          const there = Document.prototype.elementsFromPoint.call(document, x, (line.top + line.bottom) / 2);
          if (there.includes(parent)) shown += 1;
          else if (x > 0 && x < areaWidth) hidden += 1;
        }
      }
    }
    scrollTo(0, 0);
    return shown > 0 && hidden > 0;
  };
  if (mayClip) {
    for (const box of all('*')) {
      const { clipPath, clip, pointerEvents } = getComputedStyle(box);
      const clips =
        box instanceof HTMLElement && pointerEvents !== 'none' && (clipPath !== 'none' || clip !== 'auto');
      if (clips && isPartlyClipped(box)) cut.add(box);
    }
  }

  // Less room than a line of small print has.
  for (const { sheet, room } of page.marginTexts) if (isTall || room < 8) cut.add(sheet);
  if (mayBreak) await broken(tools, cut);

  const { paperWidth, marginLeft } = page;
  const edges = isTall
    ? { areaWidth, marginLeft: 0, marginRight: 0, marginTop: 0, widthMax }
    : {
        ...{ areaWidth, marginLeft, marginTop: page.marginTop, widthMax },
        marginRight: Math.max(0, paperWidth - marginLeft - areaWidth),
      };
  const contentWidth = beyond(tools, edges, clipping, cut);
  if (mayBeFixed && contentWidth <= areaWidth + slack)
    for (const box of covering(tools, (pageHeight * areaWidth) / width)) cut.add(box);

  const nameOf = (element: Element) => {
    const localName = localNameOf(element).toLowerCase();
    const tag = /^[a-z][a-z0-9-]{0,30}$/.test(localName) ? localName : 'element';
    const alike = tag === 'element' ? all('*') : all(localNameOf(element));
    return `${tag} ${Math.min(alike.indexOf(element) + 1, 999_999)}`;
  };
  const colors = [root, ...(body ? [body] : [])].map((element) => getComputedStyle(element).backgroundColor);
  const color = colors.find((one) => !/, 0\)$|\/ 0\)$|transparent/.test(one)) ?? '';
  const [red = 255, green = 255, blue = 255] = /^rgb/.test(color)
    ? (color.match(/\d+/g) ?? []).map((part) => Math.min(255, Number(part)))
    : [];
  return {
    contentWidth,
    background: [red, green, blue],
    cut: [...cut].slice(0, namedMax).map(nameOf),
  };
}
