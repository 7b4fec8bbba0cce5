import type { DocumentTools } from './document-tools';

/** The area of a page in the layout, and the paper around it. */
interface Edges {
  readonly areaWidth: number;
  readonly marginLeft: number;
  readonly marginRight: number;
  readonly marginTop: number;
  /** What reaches farther than this is cut. */
  readonly widthMax: number;
}

/**
 * Runs inside the browser: how far a document reaches, and what of it the paper cuts off. On the side where a line begins, and above the
 * first page, nothing can be reached by scrolling either; what is there as a whole is hidden by its author.
 * @param clipping the boxes that cut their content
 */
export function findBeyond(
  {
    all,
    parentOf,
    isWithin,
    set,
    textsOf,
    linesOf,
    isSeen,
    rectOf,
    numberOf,
    root,
    slack,
    hasShadows,
  }: DocumentTools,
  { areaWidth, marginLeft, marginRight, marginTop, widthMax }: Edges,
  clipping: readonly Element[],
  cut: Set<Element>,
): number {
  let contentWidth = areaWidth;
  const body = all('body')[0] ?? root;
  if (!root || !body) return contentWidth;
  const { direction, writingMode } = getComputedStyle(body);
  // Pages follow each other to the left or right.
  if (!writingMode.startsWith('horizontal')) return contentWidth;
  const isRtl = direction === 'rtl';
  const range = Document.prototype.createRange.call(document);
  range.selectNode(body);
  const whole = range.getBoundingClientRect();
  const isBeyond = ({ left, right, top }: DOMRect) =>
    left < -slack || right > areaWidth + slack || top < -slack;
  const hasMore = numberOf(root, 'scrollWidth') > areaWidth + slack || hasShadows();
  if (!isBeyond(whole) && !hasMore) return contentWidth;

  const isInside = (element: Element) => clipping.some((box) => box !== element && isWithin(element, box));
  const reach = (element: Element, far: number) => {
    if (far <= areaWidth + slack || isInside(element) || !isSeen(element)) return;
    contentWidth = Math.max(contentWidth, far);
    if (far > widthMax + slack) cut.add(element);
  };
  const farOf = ({ left, right }: { left: number; right: number }) => (isRtl ? areaWidth - left : right);
  /** Whether a line is cut by the paper where it begins, or at its top. Far away, texts are hidden. */
  const isCutByPaper = ({ left, right, top, bottom }: DOMRect) => {
    const before = isRtl ? right - areaWidth - marginRight : -left - marginLeft;
    const gone = isRtl ? left - areaWidth - marginRight : -right - marginLeft;
    return (before > slack && gone < areaWidth) || (top < -marginTop - slack && bottom > -1_000);
  };
  const blockOf = (element: Element): Element => {
    let block = element;
    while (/^(inline|contents)/.test(getComputedStyle(block).display)) {
      const parent = parentOf(block);
      if (!parent) break;
      block = parent;
    }
    return block;
  };
  const isOnPaper = (element: Element) => {
    const { left, right, top, bottom } = rectOf(element);
    return (
      right > -marginLeft &&
      left < areaWidth + marginRight &&
      bottom > -marginTop &&
      bottom - top + right - left > 4
    );
  };

  for (const text of textsOf(root)) {
    const parent = parentOf(text);
    const lines = linesOf(text).filter(isBeyond);
    if (!parent || lines.length === 0) continue;
    reach(parent, Math.max(...lines.map(farOf)));
    if (lines.some(isCutByPaper) && isSeen(parent) && !isInside(parent) && isOnPaper(blockOf(parent)))
      cut.add(parent);
  }
  for (const image of all(
    'img, svg, table, hr, input, textarea, button, select, progress, meter, canvas, video, audio',
  ))
    reach(image, farOf(rectOf(image)));
  for (const element of all('*')) {
    if (!(element instanceof HTMLElement) || element === root || element === body) continue;
    const isGenerated = ['::before', '::after'].some(
      (name) => !/^(none|normal|""|)$/.test(getComputedStyle(element, name).content),
    );
    if (isGenerated) {
      const block = blockOf(element);
      const { left, right } = rectOf(block);
      const width = numberOf(block, 'scrollWidth');
      reach(element, farOf({ left: right - width, right: left + width }));
    }
    const far = farOf(rectOf(element));
    if (far <= areaWidth + (isRtl ? marginLeft : marginRight) + slack) continue;
    const { backgroundColor, backgroundImage, borderTopWidth, borderBottomWidth } = getComputedStyle(element);
    const isPainted =
      backgroundImage !== 'none' ||
      !/, 0\)$|\/ 0\)$|transparent/.test(backgroundColor) ||
      Number.parseFloat(borderTopWidth) + Number.parseFloat(borderBottomWidth) > 0;
    if (isPainted) reach(element, far);
  }
  // Printed smaller, a root that runs from right to left would lose its content.
  if (isRtl && contentWidth > areaWidth && root instanceof HTMLElement && body instanceof HTMLElement) {
    set(body, { direction: 'rtl' });
    set(root, { direction: 'ltr' });
  }
  return contentWidth;
}
